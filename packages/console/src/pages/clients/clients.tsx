import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { counted, formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { countColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Freshness } from '../../ui/freshness.tsx';
import { ListTable, useListSearch } from '../../ui/list-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { ClientSheet } from './client-sheet.tsx';
import {
  type Clients as Answered,
  keyOf,
  mixedVersions,
  nameOf,
  newestVersions,
  type Software,
  zonesOf,
} from './client-words.ts';

const from = '/frame/clusters/$clusterId/clients';

/** The Kafka clients that are connected, by software and version, as agents report them. */
export function Clients() {
  const search = useSearch({ from });
  const { set } = useListSearch();
  const listed = useClusterOperation(
    'list_clients',
    { ...(search.agent === undefined ? {} : { agent_id: search.agent }) },
    { everyMs: 10_000 },
  );
  const { data: agents } = useClusterOperation('list_agents', {});
  const zoneById = useMemo(
    () => new Map(agents?.agents.map(({ agent_id, zone }) => [agent_id, zone])),
    [agents],
  );
  const { data } = listed;
  const columns = useMemo(() => columnsOf(data?.clients ?? [], zoneById), [data, zoneById]);
  const open = data?.clients.find((one) => keyOf(one) === search.client);
  return (
    <Page title="Clients" facts={data && <Facts of={data} />} actions={<Freshness of={listed} />}>
      <ListTable
        label="Clients"
        of={listed}
        what="list the clients"
        rowsOf={({ clients }) => clients}
        filter={{
          label: 'Filter by software, client id, principal',
          noun: 'client',
          textOf: wordsOf,
          controls: search.agent !== undefined && (
            <>
              <span className="text-sm break-all text-muted">Only of the agent {search.agent}</span>
              <Button onClick={() => set({ agent: undefined })}>All agents</Button>
            </>
          ),
          notes: data && <Warnings of={data} />,
        }}
        columns={columns}
        keyOf={keyOf}
        sort="-connections"
        onOpen={(software) => set({ client: keyOf(software) })}
      >
        <Empty title="No clients are connected">
          {data?.reported_at === null
            ? 'Agents report their clients every 20 seconds; none has reported yet.'
            : data !== undefined && data.connections > 0
              ? 'Clients of other agents are connected; choose All agents.'
              : 'Clients appear within 20 seconds of their first request.'}
        </Empty>
      </ListTable>
      {open !== undefined && (
        <ClientSheet software={open} zoneById={zoneById} onClose={() => set({ client: undefined })} />
      )}
    </Page>
  );
}

const wordsOf = ({ software_name, software_version, client_ids, principals, agents }: Software) =>
  [
    software_name,
    software_version,
    ...client_ids,
    ...principals,
    ...agents.map(({ agent_id }) => agent_id),
  ].join(' ');

function columnsOf(
  clients: readonly Software[],
  zoneById: ReadonlyMap<string, string>,
): readonly Column<Software>[] {
  const newest = newestVersions(clients);
  const names = (list: readonly string[]) => {
    const text = list.map(visibleText).join(', ');
    return text === '' ? '–' : <bdi title={text}>{text}</bdi>;
  };
  return [
    {
      id: 'software',
      title: 'Software',
      width: 'minmax(12rem, 1fr)',
      sortBy: nameOf,
      cell: (one) => (
        <bdi title={visibleText(nameOf(one))} className="font-medium text-ink">
          {visibleText(nameOf(one))}
        </bdi>
      ),
    },
    {
      id: 'version',
      title: 'Version',
      width: 'minmax(9rem, 1fr)',
      sortBy: ({ software_version }) => software_version,
      cell: ({ software_name: name, software_version: version }) =>
        newest.has(name) && newest.get(name) !== version ? (
          <Status kind="warn">
            <span title={`${visibleText(newest.get(name)!)} is also connected`}>
              {visibleText(version)}, older
            </span>
          </Status>
        ) : (
          visibleText(version) || '–'
        ),
    },
    {
      id: 'ids',
      title: 'Client ids',
      width: 'minmax(13rem, 2fr)',
      sortBy: ({ client_ids }) => client_ids.join(),
      cell: ({ client_ids }) => names(client_ids),
    },
    {
      id: 'principals',
      title: 'Principals',
      width: 'minmax(12rem, 2fr)',
      sortBy: ({ principals }) => principals.join(),
      cell: ({ principals }) => names(principals),
    },
    countColumn('agents', 'Agents', '6rem', ({ agent_count }) => agent_count),
    {
      id: 'zones',
      title: 'Agent zones',
      width: 'minmax(8rem, 1fr)',
      cell: (one) => names(zonesOf(one, zoneById)),
    },
    countColumn('connections', 'Connections', '8rem', ({ connections }) => connections),
  ];
}

function Facts({ of: { connections, total, clients, reported_at } }: { readonly of: Answered }) {
  return (
    <>
      {counted(connections, 'connection')} · {counted(total, 'software version')}
      {total > clients.length && `, ${formatCount(clients.length)} listed`}
      {reported_at !== null && (
        <>
          {' '}
          · oldest report <Time of={reported_at} />
        </>
      )}
    </>
  );
}

/** What is worth a look in what agents report. They do not report zones and addresses of clients. */
function Warnings({ of: { clients, unlisted_connections, silent_agents } }: { readonly of: Answered }) {
  const mixed = mixedVersions(clients);
  const unknown = clients.find(({ software_name }) => software_name === '');
  const lines = [
    ...mixed.map(
      ({ name, newest, older }) =>
        `${counted(older, 'connection')} of ${visibleText(name)} ${older === 1 ? 'uses' : 'use'} a version older than ${visibleText(newest)}, which is also connected.`,
    ),
    ...(unknown === undefined
      ? []
      : [
          `${formatCount(unknown.connections)} ${unknown.connections === 1 ? 'connection reports' : 'connections report'} no software name: clients without KIP-511 (older than Kafka 2.4) and some others do not.`,
        ]),
    ...(unlisted_connections === 0
      ? []
      : [
          `${formatCount(unlisted_connections)} connections of other software are not listed: reports are limited.`,
        ]),
    ...(silent_agents.length === 0
      ? []
      : [
          `No recent report from ${silent_agents.length === 1 ? 'agent' : 'agents'} ${silent_agents.join(', ')}.`,
        ]),
  ];
  return lines.length === 0 ? null : (
    <ul className="flex flex-col gap-1 text-sm">
      {lines.map((line) => (
        <li key={line}>
          <Status kind="warn">
            <span className="break-words whitespace-normal text-ink">{line}</span>
          </Status>
        </li>
      ))}
    </ul>
  );
}
