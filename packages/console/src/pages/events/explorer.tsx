import { problemOf } from '../../api/client.ts';
import { cutText, visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { CompareCard } from './compare/compare-card.tsx';
import { EventSheet } from './event-sheet.tsx';
import { EventsDisabled } from './events-disabled.tsx';
import { ExportMenu } from './export/export-menu.tsx';
import { FieldsPanel } from './fields-panel.tsx';
import { HiddenMetrics } from './query/hidden-metrics.tsx';
import { QueryBar } from './query/query-bar.tsx';
import { HistoryMenu, PresetsMenu } from './query/search-menus.tsx';
import { Results } from './results/results.tsx';
import { type ExplorerProps, useExplorer } from './state/use-explorer.ts';
import { TimelineCard } from './timeline/timeline-card.tsx';
import { useExplorerKeys } from './use-explorer-keys.ts';
import { ViewsMenu } from './views/views-menu.tsx';

const titleCharsMax = 60;

/**
 * Searches events. A page that shows events of one kind gives a `scope` with the type and the filter that are fixed
 * there; the explorer is then a part of that page, without a title of its own.
 */
export function EventExplorer(props: ExplorerProps) {
  const explorer = useExplorer(props);
  useExplorerKeys(explorer);
  const { searches, problem, state } = explorer;
  const { rows } = searches;
  const isDisabled = rows.error !== undefined && problemOf(rows.error).code === 'events_disabled';
  const actions = (
    <>
      <HistoryMenu explorer={explorer} />
      {props.scope === undefined && <ViewsMenu explorer={explorer} />}
      {props.scope === undefined && <PresetsMenu explorer={explorer} />}
      <Button onClick={() => explorer.show({ chart: state.chart === 'off' ? 'bars' : 'off' })}>
        {state.chart === 'off' ? 'Show timeline' : 'Hide timeline'}
      </Button>
      <ExportMenu explorer={explorer} />
    </>
  );
  const content = (
    <>
      <QueryBar explorer={explorer} />
      <HiddenMetrics explorer={explorer} />
      {problem !== undefined && (
        <p role="alert" className="-mt-2 text-sm">
          <Status kind="fail" wraps>
            {problem}
          </Status>
        </p>
      )}
      {isDisabled ? (
        <Card>
          <EventsDisabled onEnabled={() => explorer.search()} />
        </Card>
      ) : (
        <>
          {rows.error !== undefined && (
            <Failure what="search the events" error={rows.error} onRetry={() => explorer.search()} />
          )}
          {state.chart !== 'off' && (problem === undefined || searches.timeline.answer !== undefined) && (
            <TimelineCard explorer={explorer} />
          )}
          {state.compare !== '' && <CompareCard explorer={explorer} />}
          <div className="grid items-start gap-4 md:grid-cols-[17rem_minmax(0,1fr)]">
            <FieldsPanel explorer={explorer} />
            <Card>
              {rows.answer === undefined ? (
                <NoAnswer isRunning={rows.isRunning} isStopped={rows.isStopped} />
              ) : (
                <Results explorer={explorer} answer={rows.answer} />
              )}
            </Card>
          </div>
        </>
      )}
      <EventSheet explorer={explorer} />
    </>
  );
  if (props.scope !== undefined)
    return (
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex flex-wrap justify-end gap-2">{actions}</div>
        {content}
      </div>
    );
  const filter = visibleText(cutText(state.filter, titleCharsMax));
  return (
    <Page title="Events" tabTitle={filter === '' ? 'Events' : `${filter} · Events`} actions={actions}>
      {content}
    </Page>
  );
}

/** Before the first answer. */
function NoAnswer({ isRunning, isStopped }: { readonly isRunning: boolean; readonly isStopped: boolean }) {
  if (isRunning) return <Skeleton />;
  return isStopped ? (
    <Empty title="Search stopped">Run it again, or choose a shorter time range.</Empty>
  ) : (
    <Empty title="No search run">Correct the error above, then run the search.</Empty>
  );
}
