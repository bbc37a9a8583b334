import { visibleText } from '../../format/visible-text.ts';
import { Status } from '../../ui/status.tsx';
import { healthKinds } from './table-words.ts';
import type { TableStatus } from './use-tables.ts';

/** Whether rows arrive, with the reason under the pointer. */
export function TableHealth({ status }: { readonly status: TableStatus | undefined }) {
  if (status === undefined) return <Status kind="muted">unknown</Status>;
  const { status: health, message } = status.health;
  return (
    <Status kind={healthKinds[health]}>
      <span title={message === '' ? undefined : visibleText(message)}>{health}</span>
    </Status>
  );
}
