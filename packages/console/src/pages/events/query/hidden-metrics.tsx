import { formatCount } from '../../../format/format.ts';
import { metricsType } from '../state/searched-types.ts';
import type { Explorer } from '../state/use-explorer.ts';
import { useHiddenMetrics } from '../state/use-hidden-metrics.ts';

/** How many events are left out because they are metrics, and the way to see them. */
export function HiddenMetrics({ explorer }: { readonly explorer: Explorer }) {
  const { state, scope } = explorer;
  const { count, isHidden } = useHiddenMetrics(explorer);
  if (scope.types !== undefined || state.types.length > 0) return null;
  const show = (metrics: 'hide' | 'show') => explorer.search({ metrics });
  return (
    <p className="-mt-2 flex flex-wrap items-center gap-x-2 text-xs text-muted">
      {isHidden ? (
        <>
          <span>
            {count === undefined ? 'Events' : formatCount(count)} of type{' '}
            <span className="font-mono">{metricsType}</span> hidden
          </span>
          <Choice label="Show metrics" onSelect={() => show('show')} />
        </>
      ) : (
        <>
          <span>
            Events of type <span className="font-mono">{metricsType}</span> are included
          </span>
          <Choice label="Hide metrics" onSelect={() => show('hide')} />
        </>
      )}
    </p>
  );
}

function Choice({ label, onSelect }: { readonly label: string; readonly onSelect: () => void }) {
  return (
    <button type="button" onClick={onSelect} className="rounded text-accent underline">
      {label}
    </button>
  );
}
