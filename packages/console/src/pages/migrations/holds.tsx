import { visibleText } from '../../format/visible-text.ts';
import { Status } from '../../ui/status.tsx';
import type { MigrationTopic } from './use-migration.ts';

/** Those that end by themselves are no warning. */
const passing: ReadonlySet<string> = new Set([
  'lag',
  'unconfirmed_agents',
  'open_transaction',
  'no_report',
  'cut_over_waits',
]);

/** What holds back the cut-over of a topic, each with what to do. */
export function Holds({ of: { holds } }: { readonly of: Pick<MigrationTopic, 'holds'> }) {
  if (holds.length === 0)
    return (
      <p className="px-4 py-3 text-sm">
        <Status kind="ok">Nothing</Status>
      </p>
    );
  return (
    <ul aria-label="What holds back the cut-over" className="divide-y divide-line">
      {holds.map(({ code, message }) => (
        <li key={code} className="px-4 py-2 text-sm break-words">
          <Status kind={passing.has(code) ? 'info' : 'warn'} wraps>
            {visibleText(message)}
          </Status>
        </li>
      ))}
    </ul>
  );
}
