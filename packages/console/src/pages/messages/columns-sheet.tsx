import { ArrowDownIcon, ArrowUpIcon, XIcon } from '@primer/octicons-react';
import { type FormEvent, useId, useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { titleOfColumn } from './record-columns.tsx';
import { moved, usualColumns } from './state/column-choice.ts';
import { fieldsOfRecords, pathOfField } from './state/record-fields.ts';
import type { TopicRecord } from './state/records.ts';

interface ColumnsSheetProps {
  readonly columns: readonly string[];
  /** The records of the page, whose fields can be columns. */
  readonly records: readonly TopicRecord[];
  readonly onChoose: (columns: readonly string[]) => void;
  readonly onClose: () => void;
}

const offeredMax = 60;

/** Chooses the columns of a list of records and their order. Every change shows at once. */
export function ColumnsSheet({ columns, records, onChoose, onClose }: ColumnsSheetProps) {
  const names = useId();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const fields = fieldsOfRecords(records).map(({ name }) => name);
  const offered = [...usualColumns, ...fields].filter((name) => !columns.includes(name));
  const add = (event: FormEvent) => {
    event.preventDefault();
    const field = typed.trim();
    if (pathOfField(field) === undefined)
      return setProblem('Enter a field of the key, value or headers, such as value.total.');
    if (!columns.includes(field)) onChoose([...columns, field]);
    setTyped('');
    setProblem(undefined);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Columns"
      description="This browser remembers them for the topic."
      isSheet
    >
      <div className="flex flex-col gap-5">
        <ul
          aria-label="Shown columns"
          className="flex flex-col divide-y divide-line rounded-md border border-line"
        >
          {columns.map((column, nth) => {
            const title = titleOfColumn(column);
            return (
              <li key={column} className="flex items-center gap-1 py-1 pr-1 pl-3">
                <bdi className="min-w-0 flex-1 text-sm break-all text-ink">{title}</bdi>
                <IconButton
                  icon={ArrowUpIcon}
                  label={`Move ${title} up`}
                  disabled={nth === 0}
                  onClick={() => onChoose(moved(columns, column, -1))}
                />
                <IconButton
                  icon={ArrowDownIcon}
                  label={`Move ${title} down`}
                  disabled={nth === columns.length - 1}
                  onClick={() => onChoose(moved(columns, column, 1))}
                />
                <IconButton
                  icon={XIcon}
                  label={`Remove ${title}`}
                  disabled={columns.length === 1}
                  onClick={() => onChoose(columns.filter((one) => one !== column))}
                />
              </li>
            );
          })}
        </ul>
        {offered.length > 0 && (
          <section aria-labelledby={names} className="flex flex-col gap-2">
            <h3 id={names} className="text-sm font-medium text-ink">
              Add a column
            </h3>
            <div className="flex flex-wrap gap-2">
              {offered.slice(0, offeredMax).map((name) => (
                <Button key={name} onClick={() => onChoose([...columns, name])}>
                  <bdi className="max-w-72 truncate">{titleOfColumn(name)}</bdi>
                </Button>
              ))}
            </div>
          </section>
        )}
        <form onSubmit={add} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <TextField
              label="Another field"
              name="field"
              problem={problem}
              spellCheck={false}
              value={typed}
              onText={setTyped}
            >
              As in filters: value.customer.name, headers.trace.
            </TextField>
          </div>
          <div className="pt-6">
            <Button type="submit">Add field</Button>
          </div>
        </form>
        <div className="flex justify-end gap-2">
          <Button onClick={() => onChoose(usualColumns)}>Reset</Button>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
