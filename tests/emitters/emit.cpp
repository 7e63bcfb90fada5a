// The C++ emitter: the wrappers of nvtx3.hpp.
#include <nvtx3/nvtx3.hpp>

#include <string>

#include "truth.h"

struct library {
    static constexpr char const *name{"library"};
};

int main() {
    unsigned long long before = now_ns();
    {
        nvtx3::scoped_range outer{"outer"};
        tell(before, now_ns(), "push", DEFAULT, "outer", 0, nullptr);
        {
            auto const category = nvtx3::named_category_in<library>{5, "kind"};
            auto const name = nvtx3::registered_string_in<library>{"stage"};
            before = now_ns();
            nvtx3::scoped_range_in<library> stage{name, category, nvtx3::rgb{1, 2, 3}, nvtx3::payload{3.5}};
            tell(before, now_ns(), "push", "library", "stage", 0,
                 "{\"category\":5,\"category_name\":\"kind\",\"color\":4278256131,\"payload\":[\"f64\",3.5]}");
            DO(nvtx3::mark_in<library>("a mark", nvtx3::payload{std::int32_t{-7}}), "mark", "library", "a mark", 0,
               "{\"payload\":[\"i32\",-7]}");
            before = now_ns();
        }
        tell(before, now_ns(), "pop", "library", "", 0, nullptr);

        std::wstring const wide{L"weit"};
        nvtx3::range_handle handle;
        before = now_ns();
        handle = nvtx3::start_range(wide);
        tell(before, now_ns(), "start", DEFAULT, "weit", handle.get_value(), nullptr);
        DO(nvtx3::end_range(handle), "end", DEFAULT, "", handle.get_value(), nullptr);
        before = now_ns();
    }
    tell(before, now_ns(), "pop", DEFAULT, "", 0, nullptr);
    return 0;
}
