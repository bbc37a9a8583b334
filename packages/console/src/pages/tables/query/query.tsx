import { PlayIcon, StopIcon } from '@primer/octicons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { call } from '../../../api/client.ts';
import { useClusterId } from '../../../api/use-cluster.ts';
import { formatCount } from '../../../format/format.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeEditor } from '../../../ui/editor/code-editor.tsx';
import { type SqlNames, sqlLanguage, sqlName } from '../../../ui/editor/sql-language.ts';
import { Select } from '../../../ui/fields.tsx';
import { Page } from '../../../ui/page.tsx';
import { Failure, Skeleton } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { ForRecordReaders } from '../for-record-readers.tsx';
import { useTables } from '../use-tables.ts';
import { QueryResult } from './query-result.tsx';
import { TablesPanel } from './tables-panel.tsx';

const limits = [100, 1_000, 10_000] as const;

/** SQL over the tables of a data lake cluster, which an agent runs. */
export function TableQuery() {
  const clusterId = useClusterId();
  return (
    <Page title="Query" facts="SQL over the tables of the cluster, read-only. An agent runs it with DuckDB.">
      <ForRecordReaders>
        <QueryOf key={clusterId} clusterId={clusterId} />
      </ForRecordReaders>
    </Page>
  );
}

function QueryOf({ clusterId }: { readonly clusterId: string }) {
  const search = useSearch({ from: '/frame/clusters/$clusterId/query' });
  const navigate = useNavigate({ from: '/clusters/$clusterId/query' });
  const listed = useTables();
  const tables = useMemo(
    () => (listed.data?.tables ?? []).map(({ table_name }) => table_name),
    [listed.data],
  );
  const [text, setText] = useState(search.sql ?? '');
  const [limit, setLimit] = useState<number>(limits[0]);
  const names = useRef<SqlNames>({ tables, columns: [] });
  names.current = { ...names.current, tables };
  const language = useMemo(() => sqlLanguage(() => names.current), []);
  const running = useRef<AbortController>(undefined);
  const query = useMutation({
    mutationFn: (sql: string) => {
      running.current = new AbortController();
      return call('dl/query_table', { virtual_cluster_id: clusterId, sql, limit }, running.current.signal);
    },
  });
  const isEmpty = text.trim() === '';
  const run = () => {
    if (isEmpty || query.isPending) return;
    void navigate({ search: { sql: text }, replace: true });
    query.mutate(text);
  };
  const wasStopped = query.error !== null && running.current?.signal.aborted === true;
  return (
    <div className="grid items-start gap-4 md:grid-cols-[minmax(0,1fr)_16rem]">
      <div className="flex min-w-0 flex-col gap-3">
        <CodeEditor
          label="SQL"
          value={text}
          onChange={setText}
          onSubmit={run}
          extensions={language}
          placeholder={`SELECT * FROM ${sqlName(tables[0] ?? 'cluster__topic')} LIMIT 100`}
          className="min-h-40"
        />
        <div className="flex flex-wrap items-center gap-2">
          {query.isPending ? (
            <Button icon={StopIcon} onClick={() => running.current?.abort()}>
              Stop
            </Button>
          ) : (
            <Button kind="primary" icon={PlayIcon} disabled={isEmpty} onClick={run}>
              Run
            </Button>
          )}
          <Select
            aria-label="Rows at most"
            className="max-w-44"
            value={String(limit)}
            onChange={({ target }) => setLimit(Number(target.value))}
            options={limits.map((one) => [String(one), `${formatCount(one)} rows at most`] as const)}
          />
        </div>
        <div aria-live="polite" className="min-w-0">
          {query.isPending ? (
            <Skeleton rows={4} />
          ) : wasStopped ? (
            <Status kind="muted">stopped</Status>
          ) : query.error !== null ? (
            <Failure what="run the query" error={query.error} />
          ) : (
            query.data !== undefined && <QueryResult result={query.data} />
          )}
        </div>
      </div>
      <TablesPanel
        of={listed}
        onColumns={(columns) => {
          names.current = {
            ...names.current,
            columns: [...new Set([...names.current.columns, ...columns])],
          };
        }}
        onChoose={(table) => setText(`SELECT *\nFROM ${sqlName(table)}\nLIMIT 100`)}
      />
    </div>
  );
}
