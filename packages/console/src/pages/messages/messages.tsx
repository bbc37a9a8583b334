import { PlusIcon } from '@primer/octicons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ApiError } from '@weir/api/client';
import { useMemo, useRef, useState } from 'react';
import { formatCount, formatDuration } from '../../format/format.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Card } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { useTopic } from '../topics/use-topic.ts';
import { ColumnsSheet } from './columns-sheet.tsx';
import { CredentialForm, isAboutCredential } from './credential-form.tsx';
import { DownloadMenu } from './download-menu.tsx';
import { ProduceSheet } from './produce-sheet.tsx';
import { QueryBar } from './query-bar.tsx';
import { recordColumns } from './record-columns.tsx';
import { MissingRecord, RecordPanel } from './record-panel.tsx';
import { Resizable } from './resizable.tsx';
import { isUsual, useColumnChoice } from './state/column-choice.ts';
import { decodedRecord } from './state/decoders.ts';
import { setCredential, useCredential } from './state/kafka-credential.ts';
import { chosenRecord, type MessagesSearch, readMessagesSearch, startOf } from './state/messages-search.ts';
import { useReader } from './state/reader.ts';
import { keyOfRecord, type TopicRecord } from './state/records.ts';
import { useLive, useRecords } from './state/use-records.ts';

const bounds = {
  records: 'the limit of scanned records',
  bytes: 'the limit of scanned bytes',
  time: 'the time limit',
  answer_bytes: 'the response size limit',
} as const;

/** The records of a topic. */
export function Messages() {
  const { clusterId, topic } = useParams({ from: '/frame/clusters/$clusterId/topics/$topic/messages' });
  const search: MessagesSearch = useSearch({ from: '/frame/clusters/$clusterId/topics/$topic/messages' });
  const navigate = useNavigate({ from: '/clusters/$clusterId/topics/$topic/messages' });
  const described = useTopic(topic);
  const { user } = useCredential(clusterId);
  const { missing, isReady } = useReader(clusterId);
  const queries = useQueryClient();
  const read = useRecords(topic, search);
  const [isProducing, setProducing] = useState(false);
  const [isScrolled, setScrolled] = useState(false);
  const isLive = search.live === true && startOf(search) === 'newest' && search.cursor === undefined;
  const live = useLive({
    topic,
    search,
    cursor: read.isPlaceholderData ? undefined : read.data?.newer_cursor,
    isOn: isLive,
    isPaused: isScrolled,
  });
  const { keyAs, valueAs } = search;
  const rows = useMemo(
    () =>
      distinct([...(isLive ? live.records : []), ...(read.data?.records ?? [])]).map((record) =>
        decodedRecord(record, { keyAs, valueAs }),
      ),
    [isLive, live.records, read.data, keyAs, valueAs],
  );
  const { columns, choose } = useColumnChoice(clusterId, topic);
  const shownColumns = useMemo(() => recordColumns(columns), [columns]);
  const [isChoosing, setChoosing] = useState(false);
  const chosen = chosenRecord(search);
  const open = rows.find((record) => keyOfRecord(record) === chosen);
  const go = (next: MessagesSearch) => void navigate({ search: next });
  const form = useFormKey(search);
  const run = (next: MessagesSearch) => {
    form.ran(next);
    go(next);
    void queries.invalidateQueries({ queryKey: ['read_records', clusterId, topic] });
  };
  const stop = () => void queries.cancelQueries({ queryKey: ['read_records', clusterId, topic] });
  const error = read.error ?? live.error;
  const isLoginNeeded = isAboutCredential(error) || (missing !== undefined && !isReady);
  const filterProblem =
    error instanceof ApiError && error.code === 'filter_syntax' ? error.message.split('\n')[0] : undefined;
  const page = (cursor: string | null | undefined) =>
    go({
      ...search,
      start: startOf(search),
      cursor: cursor ?? undefined,
      record: undefined,
      live: undefined,
    });
  const isForwards = startOf(search) !== 'newest' && search.cursor === undefined;
  return (
    <>
      <Card
        title="Messages"
        actions={
          <>
            {user !== undefined && (
              <Button kind="quiet" onClick={() => setCredential(clusterId, undefined)}>
                {missing === undefined ? 'produce' : ''} as {user} · forget
              </Button>
            )}
            <ChangeButton icon={PlusIcon} onClick={() => setProducing(true)}>
              Produce
            </ChangeButton>
          </>
        }
      >
        <QueryBar
          // Another link has other fields.
          key={form.id}
          search={search}
          partitionCount={described.data?.partition_count ?? 1}
          isRunning={read.isFetching}
          onRun={run}
          onStop={stop}
          isSecondary={isLoginNeeded}
          records={rows}
          filterProblem={filterProblem}
        />
        <div className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-1.5 text-sm text-muted">
          <p role="status" className="min-w-0 flex-1">
            {read.isFetching ? 'reading …' : read.data && receiptOf(read.data)}
            {isLive && (isScrolled ? ' · live, paused while you scroll' : ' · live')}
          </p>
          <Button onClick={() => setChoosing(true)}>Columns</Button>
          <DownloadMenu
            topic={topic}
            search={search}
            records={rows}
            fields={columns.filter((column) => !isUsual(column))}
          />
          <Button
            aria-pressed={isLive}
            className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
            onClick={() =>
              go(
                isLive
                  ? { ...search, live: undefined }
                  : {
                      ...search,
                      start: 'newest',
                      offset: undefined,
                      time: undefined,
                      cursor: undefined,
                      live: true,
                    },
              )
            }
          >
            Live
          </Button>
          <Button
            disabled={read.isFetching || !read.data?.older_cursor}
            onClick={() => page(read.data?.older_cursor)}
          >
            Older
          </Button>
          <Button
            disabled={
              read.isFetching || !read.data?.newer_cursor || (!isForwards && search.cursor === undefined)
            }
            onClick={() => page(read.data?.newer_cursor)}
          >
            Newer
          </Button>
        </div>
        <div className="border-t border-line">
          {isLoginNeeded ? (
            <CredentialForm act="read" user={user} reason={error ?? missing} />
          ) : read.isError ? (
            filterProblem === undefined && (
              <Failure what="read the records" error={read.error} onRetry={() => read.refetch()} />
            )
          ) : live.error !== undefined ? (
            <Failure what="read new records" error={live.error} onRetry={live.retry} />
          ) : null}
          {read.data?.problem && <p className="px-4 py-2 text-sm text-warn">{read.data.problem}</p>}
          {read.data === undefined ? (
            !read.isError && read.isFetching && <Skeleton />
          ) : (
            <Resizable
              label="Width of the record"
              side={
                open !== undefined ? (
                  <RecordPanel
                    key={keyOfRecord(open)}
                    topic={topic}
                    record={open}
                    decoders={{ keyAs, valueAs }}
                    onClose={() => go({ ...search, start: startOf(search), record: undefined })}
                  />
                ) : chosen !== undefined && !read.isFetching ? (
                  <MissingRecord place={chosen} />
                ) : undefined
              }
              main={
                rows.length === 0 ? (
                  <Empty title="No records">
                    {read.data.scanned_records === 0
                      ? 'The topic is empty, or retention has deleted all records. Produce one, or choose another start.'
                      : `None of the ${formatCount(read.data.scanned_records)} scanned records match. Change the filter or the start.`}
                  </Empty>
                ) : (
                  <div
                    onScrollCapture={(event) => setScrolled((event.target as HTMLElement).scrollTop > 0)}
                    className={read.isFetching ? 'opacity-60' : undefined}
                  >
                    <DataTable
                      label="Records"
                      columns={shownColumns}
                      rows={rows}
                      keyOf={keyOfRecord}
                      heightClass="max-h-[70vh]"
                      onOpen={(record) =>
                        go({ ...search, start: startOf(search), record: keyOfRecord(record) })
                      }
                    />
                  </div>
                )
              }
            />
          )}
        </div>
      </Card>
      {isChoosing && (
        <ColumnsSheet columns={columns} records={rows} onChoose={choose} onClose={() => setChoosing(false)} />
      )}
      <ProduceSheet
        topic={topic}
        partitionCount={described.data?.partition_count ?? 1}
        isOpen={isProducing}
        onClose={() => setProducing(false)}
      />
    </>
  );
}

/**
 * A number that changes when the URL asks for something that was not typed here, such as after a click on a link: then
 * the form begins anew. What was typed stays, with the cursor in it, when it is run.
 */
function useFormKey(search: MessagesSearch) {
  const asked = askedBy(search);
  const [form, setForm] = useState({ id: 0, asked });
  const ran = useRef<string>(undefined);
  if (asked !== form.asked) setForm({ id: asked === ran.current ? form.id : form.id + 1, asked });
  return {
    id: form.id,
    ran: (next: MessagesSearch) => {
      ran.current = askedBy(readMessagesSearch({ ...next }));
    },
  };
}

const askedBy = (search: MessagesSearch): string =>
  JSON.stringify({ ...search, record: undefined, cursor: undefined, live: undefined });

/** What a read looked at. */
function receiptOf(answer: NonNullable<ReturnType<typeof useRecords>['data']>): string {
  const { scanned_records, matched_records, ms, cut } = answer;
  const facts = `scanned ${formatCount(scanned_records)} · matched ${formatCount(matched_records)} · ${formatDuration(ms)}`;
  return cut === null ? facts : `${facts} · stopped at ${bounds[cut]}`;
}

/** A record that was on the page may arrive again while it is live. */
function distinct(records: readonly TopicRecord[]): readonly TopicRecord[] {
  return [...new Map(records.map((record) => [keyOfRecord(record), record])).values()];
}
