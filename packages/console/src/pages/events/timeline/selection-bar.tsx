import { XIcon } from '@primer/octicons-react';
import { formatTime } from '../../../format/format.ts';
import { Button, IconButton } from '../../../ui/button.tsx';

interface SelectionBarProps {
  readonly startMs: number;
  readonly endMs: number;
  readonly zone: 'local' | 'utc';
  readonly onZoom: () => void;
  readonly onCompare: () => void;
  readonly onClear: () => void;
  /** Why there is nothing to compare with. */
  readonly noRest: string | undefined;
}

/** What can be done with a part of the timeline that was selected. */
export function SelectionBar(props: SelectionBarProps) {
  const { startMs, endMs, zone, onZoom, onCompare, onClear, noRest } = props;
  return (
    <section
      aria-label="Selection"
      className="flex flex-wrap items-center gap-2 border-t border-line bg-hover px-4 py-1.5 text-sm"
    >
      <p aria-live="polite" className="min-w-0 text-body">
        {formatTime(startMs, zone)} – {formatTime(endMs, zone).slice(11)}
      </p>
      <Button onClick={onZoom}>Zoom in</Button>
      <Button onClick={onCompare} disabled={noRest !== undefined} title={noRest}>
        Compare with baseline
      </Button>
      <IconButton icon={XIcon} label="Clear selection" onClick={onClear} />
    </section>
  );
}
