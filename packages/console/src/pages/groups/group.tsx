import { useParams, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { type ReactNode, useState } from 'react';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { lastOf, useMetrics, valuesOf } from '../../api/use-metrics.ts';
import { formatCount, formatShort } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { type ChartRange, secondsOf, wordsOf } from '../../ui/chart-range.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { MetricChart } from '../../ui/metric-chart.tsx';
import { isMissing, Missing } from '../../ui/missing.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { RangedCharts } from '../../ui/range-picker.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { ConnectSheet } from '../access/connect/connect-sheet.tsx';
import { ObjectDiagnostics } from '../diagnostics/object-diagnostics.tsx';
import { catchUpText } from './catch-up.ts';
import { DeleteGroup, DeleteTopicOffsets } from './delete-offsets.tsx';
import { memberColumns, partitionColumns, topicColumns } from './group-columns.tsx';
import { lastCommitOf, protocolNames, unownedCount } from './group-facts.ts';
import { GroupState } from './group-state.tsx';
import { ResetSheet } from './reset-sheet.tsx';

type Described = OutputOf<'describe_consumer_group'>['group'];

const path = '/frame/clusters/$clusterId/consumer-groups/$group';

export function Group() {
  const { clusterId, group: name } = useParams({ from: path });
  const described = useClusterOperation('describe_consumer_group', { group: name }, { everyMs: 5_000 });
  if (isMissing(described))
    return (
      <Missing
        title="Consumer group not found"
        name={name}
        links={[
          {
            label: 'Consumer groups',
            link: { to: '/clusters/$clusterId/consumer-groups', params: { clusterId } },
          },
        ]}
      >
        It was deleted, its offsets expired, or no consumer of that name joined yet. Names are case-sensitive.
      </Missing>
    );
  return (
    <Answer of={described} what={`describe the group ${visibleText(name)}`}>
      {({ group }) => <GroupOf group={group} />}
    </Answer>
  );
}

interface GroupOfProps {
  readonly group: Described;
}

function GroupOf({ group }: GroupOfProps) {
  const [open, setOpen] = useState<'connect' | 'reset' | 'delete'>();
  const rates = useMetrics({
    metrics: ['produced_records_per_second', 'consumed_records_per_second'],
    group: group.name,
  });
  const last = (metric: 'produced_records_per_second' | 'consumed_records_per_second') =>
    rates.data === undefined ? null : lastOf(valuesOf(rates.data, metric));
  const close = () => setOpen(undefined);
  const hasOffsets = group.type !== 'share';
  return (
    <Page
      title={visibleText(group.name)}
      facts={
        <>
          <GroupState state={group.state} /> · {formatCount(group.total_lag)} records behind
          {hasOffsets &&
            ` · ${catchUpText(
              group.total_lag,
              last('produced_records_per_second'),
              last('consumed_records_per_second'),
              group.members.length,
            )}`}
        </>
      }
      actions={
        <>
          {hasOffsets && <Button onClick={() => setOpen('connect')}>Connect</Button>}
          {hasOffsets && <Button onClick={() => setOpen('reset')}>Reset offsets</Button>}
          <Button onClick={() => setOpen('delete')}>Delete</Button>
        </>
      }
    >
      {open === 'connect' && (
        <ConnectSheet
          what={`group ${visibleText(group.name)}`}
          purpose="consume"
          group={group.name}
          {...(group.topics[0] === undefined ? {} : { topic: group.topics[0].name })}
          onClose={close}
        />
      )}
      {open === 'reset' && (
        <ResetSheet group={group.name} topics={group.topics.map((topic) => topic.name)} onClose={close} />
      )}
      {open === 'delete' && <DeleteGroup group={group} onClose={close} />}
      <ObjectDiagnostics of={{ kind: 'group', name: group.name }} />
      <Facts facts={factsOf(group)} />
      {hasOffsets && <Charts group={group.name} />}
      {hasOffsets && group.topics.length > 0 && <Topics group={group} />}
      <Partitions group={group} />
      <Card title={`Members (${formatCount(group.members.length)})`}>
        {group.members.length === 0 ? (
          <Empty title="No members">No consumer is a member now. Committed offsets stay.</Empty>
        ) : (
          <DataTable label="Members" columns={memberColumns} rows={group.members} keyOf={({ id }) => id} />
        )}
      </Card>
    </Page>
  );
}

function factsOf(group: Described): readonly (readonly [string, ReactNode])[] {
  const partitions = group.topics.flatMap((topic) => topic.partitions);
  const unowned = unownedCount(group);
  const isActive = group.members.length > 0;
  return [
    ['Protocol', protocolNames[group.type]],
    ['Assignor', group.protocol === '' ? 'none without members' : visibleText(group.protocol)],
    [group.type === 'classic' ? 'Generation' : 'Epoch', formatCount(group.generation)],
    ...(group.type === 'share'
      ? []
      : ([['Last commit', <Time key="commit" of={lastCommitOf(partitions)} isAgo />]] as const)),
    [
      'Partitions without a member',
      isActive && unowned > 0 ? (
        <Status
          key="unowned"
          kind="warn"
        >{`${formatCount(unowned)} of ${formatCount(partitions.length)}`}</Status>
      ) : (
        `${formatCount(unowned)} of ${formatCount(partitions.length)}`
      ),
    ],
  ];
}

function Charts({ group }: { readonly group: string }) {
  const { range = '1h' }: { range?: ChartRange | undefined } = useSearch({ from: path });
  const asked = { group, range_seconds: secondsOf(range) };
  const lag = useMetrics({ ...asked, metrics: ['lag'], group_by: 'topic', limit: 8 });
  const rates = useMetrics({
    ...asked,
    metrics: ['produced_records_per_second', 'consumed_records_per_second'],
  });
  const nothing = `No samples in the ${wordsOf(range)}. Samples are kept for the groups with the largest lag.`;
  return (
    <RangedCharts range={range}>
      <MetricChart
        title={`Lag by topic, ${wordsOf(range)}`}
        of={lag}
        format={formatShort}
        nothing={nothing}
        pick={({ series }) => series.map(({ topic = '', values }) => ({ label: topic, values }))}
      />
      <MetricChart
        title={`Records per second, ${wordsOf(range)}`}
        of={rates}
        format={formatShort}
        nothing={nothing}
        pick={(data) => [
          { label: 'produced', values: valuesOf(data, 'produced_records_per_second') },
          { label: 'consumed', values: valuesOf(data, 'consumed_records_per_second') },
        ]}
      />
    </RangedCharts>
  );
}

/** What the group reads, topic by topic; each can be forgotten. */
function Topics({ group }: GroupOfProps) {
  const [forgotten, setForgotten] = useState<string>();
  return (
    <Card title={`Topics (${formatCount(group.topics.length)})`}>
      <DataTable
        label="Topics"
        columns={topicColumns(setForgotten)}
        rows={group.topics}
        keyOf={({ name }) => name}
      />
      {forgotten !== undefined && (
        <DeleteTopicOffsets group={group} topic={forgotten} onClose={() => setForgotten(undefined)} />
      )}
    </Card>
  );
}

function Partitions({ group }: GroupOfProps) {
  const rows = group.topics.flatMap((topic) =>
    topic.partitions.map((partition) => ({ topic: topic.name, partition })),
  );
  const lagMax = rows.reduce((most, { partition }) => Math.max(most, partition.lag ?? 0), 0);
  return (
    <Card title={`Partitions (${formatCount(rows.length)})`}>
      {rows.length === 0 ? (
        <Empty title="No partitions">The group has no assigned partitions and no committed offsets.</Empty>
      ) : (
        <DataTable
          label="Partitions"
          columns={partitionColumns(group, lagMax)}
          rows={rows}
          keyOf={({ topic, partition }) => `${topic}-${partition.partition}`}
        />
      )}
    </Card>
  );
}
