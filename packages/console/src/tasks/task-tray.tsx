import { ChevronDownIcon, ChevronUpIcon, XIcon } from '@primer/octicons-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { queryClient } from '../api/use-operation.ts';
import { formatCount } from '../format/format.ts';
import { visibleText } from '../format/visible-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Status } from '../ui/status.tsx';
import type { Task, TaskEnd } from './task-store.ts';
import { tasks } from './tasks.ts';

/** The tasks at the edge of every page: what runs, how far it is, and how it ended. */
export function TaskTray() {
  const list = useSyncExternalStore(tasks.subscribe, tasks.list);
  const [isFolded, setFolded] = useState(false);
  const running = list.filter(({ end }) => end === undefined).length;
  const ended = list.length - running;
  const element = useHeightOfTray(list.length > 0);
  // What a task changed is read again: all that the page shows.
  useEffect(() => {
    if (ended > 0) void queryClient.invalidateQueries();
  }, [ended]);
  useWarningBeforeUnload(running > 0);
  if (list.length === 0) return null;
  const title = running === 0 ? 'Tasks' : running === 1 ? '1 task running' : `${running} tasks running`;
  return (
    <section
      ref={element}
      aria-label="Tasks"
      className="fixed right-4 bottom-4 z-30 flex max-h-[60vh] w-[min(26rem,calc(100vw-2rem))] flex-col rounded-md border border-line-strong bg-raised shadow-popover"
    >
      <header className="flex items-center gap-1 py-1 pr-1 pl-3">
        <h2 className="min-w-0 flex-1 truncate text-sm font-semibold text-ink">{title}</h2>
        {ended > 0 && (
          <Button kind="quiet" onClick={() => tasks.dismissEnded()}>
            Clear
          </Button>
        )}
        <IconButton
          icon={isFolded ? ChevronUpIcon : ChevronDownIcon}
          label={isFolded ? 'Show tasks' : 'Collapse tasks'}
          aria-expanded={!isFolded}
          onClick={() => setFolded(!isFolded)}
        />
      </header>
      {!isFolded && (
        // New tasks and their ends are said to screen readers, each step of progress is not.
        <ul
          aria-label="Task list"
          aria-live="polite"
          aria-relevant="additions"
          className="min-h-0 divide-y divide-line overflow-y-auto border-t border-line"
        >
          {list.toReversed().map((task) => (
            <li key={task.id} className="flex flex-col gap-1.5 px-3 py-2">
              {task.end === undefined ? (
                <RunningTask task={task} />
              ) : (
                <EndedTask task={task} end={task.end} />
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function RunningTask({ task }: { readonly task: Task }) {
  const { id, title, isCancelled, progress } = task;
  const { done, total } = progress;
  return (
    <>
      <div className="flex items-center gap-2">
        <p className="min-w-0 flex-1 text-sm break-words text-ink">{title}</p>
        <Button
          kind="quiet"
          aria-label={`Cancel: ${title}`}
          disabled={isCancelled}
          onClick={() => tasks.cancel(id)}
        >
          {isCancelled ? 'Cancelling' : 'Cancel'}
        </Button>
      </div>
      <div
        role="progressbar"
        aria-label={title}
        aria-valuemin={0}
        {...(total === undefined ? {} : { 'aria-valuemax': total, 'aria-valuenow': done })}
        className="h-1.5 overflow-hidden rounded bg-pressed"
      >
        <div
          className={
            total === undefined ? 'h-full w-full animate-pulse bg-accent' : 'h-full rounded bg-accent'
          }
          style={total === undefined ? {} : { width: `${(done / Math.max(1, total)) * 100}%` }}
        />
      </div>
      <p className="text-xs text-muted tabular-nums">
        {total === undefined ? 'running' : `${formatCount(done)} of ${formatCount(total)}`}
        {isCancelled && ', stopping after the current step'}
      </p>
    </>
  );
}

function EndedTask({ task, end }: { readonly task: Task; readonly end: TaskEnd }) {
  const { id, title } = task;
  const { kind, text, parts = [], next = [] } = end;
  return (
    <>
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1 pt-1.5">
          <p className="text-xs break-words text-muted">{title}</p>
          <div className="text-sm">
            <Status kind={kind}>
              <span className="break-words whitespace-normal text-ink">{text}</span>
            </Status>
          </div>
        </div>
        <IconButton icon={XIcon} label={`Dismiss: ${title}`} onClick={() => tasks.dismiss(id)} />
      </div>
      {parts.length > 0 && (
        <details open={kind !== 'ok'} className="text-xs text-body">
          <summary className="w-fit cursor-default rounded py-1 text-muted hover:text-ink">Details</summary>
          {/* Its buttons let the keyboard scroll it. */}
          <div className="max-h-40 overflow-y-auto">
            {parts.map((part) => (
              <Names key={part.label} {...part} />
            ))}
          </div>
        </details>
      )}
      {next.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {next.map(({ label, task: following }) => (
            <Button key={label} onClick={() => void tasks.follow(id, following)}>
              {label}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}

const namesShown = 100;

function Names({ label, names }: { readonly label: string; readonly names: readonly string[] }) {
  return (
    <div>
      <p className="flex items-center gap-1 font-medium text-ink">
        {label}
        <CopyButton text={names.join('\n')} what={`the list: ${label}`} />
      </p>
      <ul className="list-disc pl-5 font-mono break-all">
        {names.slice(0, namesShown).map((name) => (
          <li key={name}>
            <bdi>{visibleText(name)}</bdi>
          </li>
        ))}
        {names.length > namesShown && <li>and {formatCount(names.length - namesShown)} more</li>}
      </ul>
    </div>
  );
}

/** Lets the page end above the tray, and toasts stand above it. */
function useHeightOfTray(isShown: boolean) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    const tray = element.current;
    if (!isShown || tray === null) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty('--tray', `${tray.offsetHeight + 16}px`));
    observer.observe(tray);
    return () => {
      observer.disconnect();
      style.removeProperty('--tray');
    };
  }, [isShown]);
  return element;
}

/** Leaving the console ends the tasks, so that the browser asks first. */
function useWarningBeforeUnload(isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isRunning]);
}
