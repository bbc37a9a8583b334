import { PlusIcon, TrashIcon } from '@primer/octicons-react';
import { type FilterOperator, filterOperators } from '@weir/core';
import { useId } from 'react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { controlClass } from '../../../ui/fields.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Status } from '../../../ui/status.tsx';
import { type DraftGroup, type DraftRow, newGroup, newRow } from '../filter/filter-draft.ts';
import { knownFields } from '../filter/known-fields.ts';
import type { Explorer } from '../state/use-explorer.ts';

type Fields = ReturnType<typeof knownFields>;

interface BuilderRowsProps {
  readonly explorer: Explorer;
  readonly problem: string | undefined;
  readonly incomplete: number;
}

/** The filter as rows of field, operator and value, which `and` or `or` join. */
export function BuilderRows({ explorer, problem, incomplete }: BuilderRowsProps) {
  const { draft, effective, searches } = explorer;
  const fields = knownFields(effective.types, searches.fields.answer?.fields);
  const fieldList = useId();
  return (
    <form
      aria-label="Filter rows"
      onSubmit={(event) => {
        event.preventDefault();
        explorer.search();
      }}
      className="flex flex-col gap-2 rounded-md border border-line bg-surface p-3"
    >
      <datalist id={fieldList}>
        {fields.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Group
        group={draft.rows}
        fields={fields}
        fieldList={fieldList}
        onChange={(rows) => explorer.setDraft({ ...draft, rows })}
      />
      {problem !== undefined && <Status kind="fail">{problem}</Status>}
      {incomplete > 0 && (
        <p className="text-xs text-muted">
          {incomplete === 1 ? '1 incomplete row is' : `${incomplete} incomplete rows are`} ignored.
        </p>
      )}
      <button type="submit" className="sr-only">
        Run these rows
      </button>
    </form>
  );
}

interface GroupProps {
  readonly group: DraftGroup;
  readonly fields: Fields;
  readonly fieldList: string;
  readonly onChange: (group: DraftGroup) => void;
  readonly onRemove?: () => void;
}

function Group({ group, fields, fieldList, onChange, onRemove }: GroupProps) {
  const replace = (id: number, next: DraftRow | DraftGroup | undefined) =>
    onChange({
      ...group,
      rows: group.rows.flatMap((row) => (row.id === id ? (next === undefined ? [] : [next]) : [row])),
    });
  return (
    <div className="flex flex-col gap-2">
      {group.rows.length > 1 && (
        <Segmented
          label="How the rows are joined"
          choices={[
            { name: 'and', title: 'all of' },
            { name: 'or', title: 'any of' },
          ]}
          value={group.join}
          onChange={(join) => onChange({ ...group, join })}
        />
      )}
      {group.rows.map((row) =>
        'rows' in row ? (
          <div key={row.id} className="border-l-2 border-line pl-3">
            <Group
              group={row}
              fields={fields}
              fieldList={fieldList}
              onChange={(next) => replace(row.id, next)}
              onRemove={() => replace(row.id, undefined)}
            />
          </div>
        ) : (
          <Row
            key={row.id}
            row={row}
            fields={fields}
            fieldList={fieldList}
            onChange={(next) => replace(row.id, next)}
            onRemove={() => replace(row.id, undefined)}
          />
        ),
      )}
      <div className="flex gap-1">
        <Button
          kind="quiet"
          icon={PlusIcon}
          onClick={() => onChange({ ...group, rows: [...group.rows, newRow()] })}
        >
          Row
        </Button>
        <Button
          kind="quiet"
          icon={PlusIcon}
          onClick={() => onChange({ ...group, rows: [...group.rows, newGroup()] })}
        >
          Group
        </Button>
        {onRemove !== undefined && (
          <Button kind="quiet" onClick={onRemove}>
            Remove group
          </Button>
        )}
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: DraftRow;
  readonly fields: Fields;
  readonly fieldList: string;
  readonly onChange: (row: DraftRow) => void;
  readonly onRemove: () => void;
}

function Row({ row, fields, fieldList, onChange, onRemove }: RowProps) {
  const valueList = useId();
  const values = fields.find(({ name }) => name === row.field)?.values ?? [];
  const isList = row.operator === 'in' || row.operator === 'not in';
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        aria-label="Field"
        list={fieldList}
        placeholder="field"
        value={row.field}
        onChange={(event) => onChange({ ...row, field: event.target.value })}
        className={`${controlClass} w-64! font-mono`}
      />
      <select
        aria-label="Operator"
        value={row.operator}
        onChange={(event) => onChange({ ...row, operator: event.target.value as FilterOperator })}
        className={`${controlClass} w-28!`}
      >
        {filterOperators.map((operator) => (
          <option key={operator}>{operator}</option>
        ))}
      </select>
      <datalist id={valueList}>
        {values.map((value) => (
          <option key={String(value)} value={String(value)} />
        ))}
      </datalist>
      <input
        aria-label="Value"
        list={valueList}
        placeholder={isList ? 'READ, WRITE' : row.operator.endsWith('like') ? '%part%' : 'value'}
        value={row.value}
        onChange={(event) => onChange({ ...row, value: event.target.value })}
        className={`${controlClass} min-w-40 flex-1 font-mono`}
      />
      <IconButton icon={TrashIcon} label="Remove row" onClick={onRemove} />
    </div>
  );
}
