import { BroadcastIcon, PlayIcon } from '@primer/octicons-react';
import { problemOf } from '../../../api/client.ts';
import { counted, formatCount } from '../../../format/format.ts';
import { Button } from '../../../ui/button.tsx';
import { Status } from '../../../ui/status.tsx';
import { tailRowsMax } from '../live/tail-buffer.ts';
import type { Explorer } from '../state/use-explorer.ts';

interface ExplorerPart {
  readonly explorer: Explorer;
}

/** Turns live events on and off. */
export function LiveSwitch({ explorer }: ExplorerPart) {
  const isOn = explorer.state.live !== 'off';
  return (
    <Button
      icon={BroadcastIcon}
      aria-pressed={isOn}
      title={isOn ? 'Stop adding new events (L)' : 'Add new events as they arrive (L)'}
      className={isOn ? 'border-accent! bg-accent-soft!' : ''}
      onClick={explorer.toggleLive}
    >
      Live
    </Button>
  );
}

/** What live events do now, above the rows. */
export function LiveLine({ explorer }: ExplorerPart) {
  const { state, tail, liveProblem } = explorer;
  if (state.live === 'off') return null;
  const { arrivedCount, hasGap } = tail.buffer;
  const isPaused = state.live === 'paused';
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-hover px-3 py-1.5 text-sm">
      {liveProblem !== undefined ? (
        <p role="alert">
          <Status kind="warn" wraps>
            {liveProblem}
          </Status>
        </p>
      ) : (
        <>
          <p className="text-body">
            {isPaused ? 'Paused' : 'Live'} · {formatCount(arrivedCount)} new
            {arrivedCount > tailRowsMax && `, the newest ${formatCount(tailRowsMax)} kept`}
          </p>
          {hasGap && <Status kind="warn">some events skipped: they arrived too fast</Status>}
          {tail.error !== undefined && !isPaused && (
            <Status kind="warn" wraps>
              new events could not be read, trying again: {problemOf(tail.error).message}
            </Status>
          )}
          <Button
            kind="quiet"
            className="ml-auto"
            onClick={() => explorer.show({ live: isPaused ? 'on' : 'paused' })}
          >
            {isPaused ? <PlayIcon aria-hidden="true" /> : <PauseMark />} {isPaused ? 'Resume' : 'Pause'}
          </Button>
        </>
      )}
    </div>
  );
}

function PauseMark() {
  return (
    <svg aria-hidden="true" viewBox="0 0 16 16" fill="currentColor">
      <path d="M4 3h3v10H4zM9 3h3v10H9z" />
    </svg>
  );
}

/** New events that wait above the place where a person reads. */
export function HeldEvents({ explorer, onShow }: ExplorerPart & { readonly onShow: () => void }) {
  const { heldCount } = explorer.tail.buffer;
  if (heldCount === 0) return null;
  return (
    <div className="sticky top-14 z-10 flex h-0 justify-center">
      <Button kind="plain" className="mt-2 border-accent! shadow-popover" onClick={onShow}>
        {counted(heldCount, 'new event')}
      </Button>
    </div>
  );
}
