import { useNavigate, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { formatCount } from '../../../format/format.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { nameColumn, textColumn } from '../../../ui/columns.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Card } from '../../../ui/page.tsx';
import { Answer, Empty } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { type SchemaChange, schemaChanges, type TableSchema } from './schema-changes.ts';
import { useDescribed } from './use-described.ts';

type Described = OutputOf<'dl/describe_table'>;
type Field = TableSchema['fields'][number];

/** The columns of a table, and how they became what they are. */
export function TableSchemas() {
  const described = useDescribed();
  return (
    <Answer of={described} what="read the schemas of the table">
      {(answer) =>
        answer.schemas.length === 0 ? (
          <Card>
            <Empty title="No schema yet">The table gets one with its first commit.</Empty>
          </Card>
        ) : (
          <Schemas described={answer} />
        )
      }
    </Answer>
  );
}

function Schemas({ described }: { readonly described: Described }) {
  const { schema } = useSearch({ from: '/frame/clusters/$clusterId/tables/$table/schema' });
  const navigate = useNavigate({ from: '/clusters/$clusterId/tables/$table/schema' });
  const all = described.schemas.toSorted((a, b) => a.schema_id - b.schema_id);
  const found = all.findIndex(({ schema_id }) => schema_id === schema);
  const at = found === -1 ? all.findIndex(({ is_current }) => is_current) : found;
  const chosen = all[at] ?? all.at(-1)!;
  const before = all[all.indexOf(chosen) - 1];
  const changes = schemaChanges(before?.fields, chosen.fields);
  return (
    <div className="grid items-start gap-4 md:grid-cols-[16rem_minmax(0,1fr)]">
      <Card title={`Schemas (${formatCount(all.length)})`}>
        <ul aria-label="Schemas" className="max-h-96 overflow-y-auto py-1">
          {all.toReversed().map(({ schema_id, is_current }) => (
            <li key={schema_id}>
              <button
                type="button"
                aria-pressed={schema_id === chosen.schema_id}
                onClick={() => void navigate({ search: { schema: schema_id }, replace: true })}
                className="flex min-h-8 w-full flex-wrap items-center gap-x-2 px-4 py-1 text-left text-sm text-ink hover:bg-hover aria-pressed:bg-accent-soft"
              >
                <span className="font-medium">Schema {schema_id}</span>
                {is_current && <Status kind="ok">current</Status>}
              </button>
            </li>
          ))}
        </ul>
      </Card>
      <div className="flex min-w-0 flex-col gap-4">
        <Card
          title={
            before === undefined
              ? `Schema ${chosen.schema_id}, the first`
              : `What schema ${chosen.schema_id} changed`
          }
        >
          <Changes changes={changes} isFirst={before === undefined} />
        </Card>
        <Card title={`Columns (${formatCount(chosen.fields.length)})`}>
          <DataTable
            label="Columns"
            columns={columnsOf(changes)}
            rows={chosen.fields}
            keyOf={({ id }) => String(id)}
          />
        </Card>
        <Partitioning fields={described.partition_fields} />
      </div>
    </div>
  );
}

interface ChangesProps {
  readonly changes: readonly SchemaChange[];
  readonly isFirst: boolean;
}

function Changes({ changes, isFirst }: ChangesProps) {
  if (changes.length === 0)
    return (
      <p className="px-4 py-3 text-sm text-muted">
        {isFirst ? 'No schema is kept before this one.' : 'Only the order of columns.'}
      </p>
    );
  return (
    <ul aria-label="Changes" className="flex flex-col gap-1 px-4 py-3 text-sm text-body">
      {changes.map(({ kind, fieldId, text }) => (
        <li key={`${kind} ${fieldId} ${text}`} className="break-words">
          <bdi>{visibleText(text)}</bdi>
        </li>
      ))}
    </ul>
  );
}

const columnsOf = (changes: readonly SchemaChange[]): readonly Column<Field>[] => [
  nameColumn('name', 'Column', 'minmax(10rem, 2fr)', ({ name }) => name),
  {
    id: 'type',
    title: 'Type',
    width: 'minmax(8rem, 2fr)',
    cell: ({ type }) => (
      <span className="font-mono text-xs" title={visibleText(type)}>
        {visibleText(type)}
      </span>
    ),
  },
  textColumn('required', 'Null', '7rem', ({ required }) => (required ? 'never' : 'allowed')),
  {
    id: 'id',
    title: 'Field id',
    width: '6rem',
    isNumber: true,
    cell: ({ id }) => String(id),
  },
  {
    id: 'change',
    title: 'Change',
    width: '8rem',
    cell: ({ id }) => {
      const change = changes.find(({ fieldId }) => fieldId === id);
      return change === undefined ? '' : <Status kind="info">{change.kind}</Status>;
    },
  },
];

function Partitioning({ fields }: { readonly fields: Described['partition_fields'] }) {
  return (
    <Card title="Partitioned by">
      {fields.length === 0 ? (
        <p className="px-4 py-3 text-sm text-muted">The table is not partitioned.</p>
      ) : (
        <ul aria-label="Partition fields" className="px-4 py-3 font-mono text-xs text-ink">
          {fields.map(({ name, transform, column }) => (
            <li key={name}>
              {visibleText(transform)}({visibleText(column)})
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
