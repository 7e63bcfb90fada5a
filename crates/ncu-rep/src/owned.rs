//! Copies of the nouns that outlive the bytes that they were decoded from.

use crate::model::{
    FocusMetric, Instance, NvtxAttributes, NvtxDomain, NvtxMessage, NvtxRange, NvtxState,
    PayloadValue, RuleColumn, RuleItem, RuleMessage, RuleResult, RuleTable, Section, SectionMetric,
    Value, owned,
};

impl Instance<'_> {
    pub(crate) fn into_owned(self) -> Instance<'static> {
        Instance {
            correlation: self.correlation.map(Value::into_owned),
            value: self.value.map(Value::into_owned),
        }
    }
}

impl NvtxState<'_> {
    pub(crate) fn into_owned(self) -> NvtxState<'static> {
        let ranges = |ranges: Vec<NvtxRange<'_>>| ranges.into_iter().map(range).collect();
        let domain = |domain: NvtxDomain<'_>| NvtxDomain {
            name: owned(domain.name),
            push_pop: ranges(domain.push_pop),
            start_end: ranges(domain.start_end),
        };
        NvtxState {
            domains: self.domains.into_iter().map(domain).collect(),
            process_stacks: self
                .process_stacks
                .map(|stacks| stacks.into_iter().map(ranges).collect()),
        }
    }
}

fn range(range: NvtxRange<'_>) -> NvtxRange<'static> {
    NvtxRange {
        name: owned(range.name),
        id: range.id,
        thread: range.thread,
        attributes: range.attributes.map(attributes),
    }
}

fn attributes(attributes: NvtxAttributes<'_>) -> NvtxAttributes<'static> {
    NvtxAttributes {
        version: attributes.version,
        category: attributes.category,
        color: attributes.color,
        payload: attributes.payload.map(|(kind, value)| (kind, value.map(payload))),
        message: attributes.message.map(|message| NvtxMessage {
            kind: message.kind,
            text: message.text.map(owned),
            handle: message.handle,
        }),
    }
}

fn payload(value: PayloadValue<'_>) -> PayloadValue<'static> {
    match value {
        PayloadValue::U64(v) => PayloadValue::U64(v),
        PayloadValue::I64(v) => PayloadValue::I64(v),
        PayloadValue::F64(v) => PayloadValue::F64(v),
        PayloadValue::U32(v) => PayloadValue::U32(v),
        PayloadValue::I32(v) => PayloadValue::I32(v),
        PayloadValue::F32(v) => PayloadValue::F32(v),
        PayloadValue::Text(text) => PayloadValue::Text(owned(text)),
    }
}

impl Section<'_> {
    pub(crate) fn into_owned(self) -> Section<'static> {
        let metric = |metric: SectionMetric<'_>| SectionMetric {
            name: owned(metric.name),
            label: owned(metric.label),
        };
        Section {
            id: owned(self.id),
            name: owned(self.name),
            order: self.order,
            header: self.header.into_iter().map(metric).collect(),
        }
    }
}

impl RuleResult<'_> {
    pub(crate) fn into_owned(self) -> RuleResult<'static> {
        RuleResult {
            id: owned(self.id),
            name: owned(self.name),
            section: owned(self.section),
            items: self.items.into_iter().map(rule_item).collect(),
        }
    }
}

fn rule_item(item: RuleItem<'_>) -> RuleItem<'static> {
    let focus = |metric: FocusMetric<'_>| FocusMetric {
        message_id: metric.message_id,
        name: owned(metric.name),
        value: metric.value,
        severity: metric.severity,
        info: owned(metric.info),
    };
    RuleItem {
        message: item.message.map(|message| RuleMessage {
            text: owned(message.text),
            kind: message.kind,
            id: message.id,
            title: owned(message.title),
        }),
        speedup: item.speedup,
        focus_metrics: item.focus_metrics.into_iter().map(focus).collect(),
        tables: item.tables.into_iter().map(table).collect(),
    }
}

fn table(table: RuleTable<'_>) -> RuleTable<'static> {
    let cells = |cells: RuleColumn<'_>| match cells {
        RuleColumn::Text(cells) => RuleColumn::Text(cells.into_iter().map(owned).collect()),
        RuleColumn::F64(cells) => RuleColumn::F64(cells),
        RuleColumn::I64(cells) => RuleColumn::I64(cells),
    };
    RuleTable {
        title: owned(table.title),
        description: owned(table.description),
        columns: table.columns.into_iter().map(|(name, c)| (owned(name), cells(c))).collect(),
    }
}
