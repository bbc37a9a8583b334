import type { Place } from '@weir/client';
import type { ManagedTopicView } from '../destination.ts';

/** What the copy of one partition came to. */
export class PartitionCopy {
  readonly topicId: string;
  /** The name here. */
  readonly topicName: string;
  readonly sourceTopicId: string | null;
  /** At the source. */
  readonly place: Place;
  /** What is fetched next. What is before it is stored, or on its way. */
  position: number;
  /** Of the last batch that was fetched, if it is known. */
  lastEpoch: number | undefined;
  /**
   * Whether the source has the records that the copy ends with. Nothing is fetched before that is known. A new leader,
   * and one that did not answer, may have a log that was cut, or one of another topic of the name.
   */
  isCompared = false;
  /** -1 while it is to be looked up. */
  leaderId = -1;
  /** Rises when the copy goes on elsewhere, so that what was fetched before does not count. */
  generation = 0;
  appendCount = 0;
  /** Something is found out about it, and it is not fetched until that is known. */
  isBusy = false;
  /** It is not fetched before, by the monotonic clock. */
  notBeforeMs = 0;
  failureCount = 0;
  /** More than others get, for a batch that is larger. */
  bytesMax: number | undefined;
  /** Why it is copied no more until an operator decides. */
  stopped: string | undefined;
  /** What went wrong last; absent since it worked again. */
  error: string | undefined;
  /** How often the source had no batches although its log goes on. */
  emptyCount = 0;

  constructor(topic: ManagedTopicView, partition: number, position: number) {
    this.topicId = topic.topicId;
    this.topicName = topic.name;
    this.sourceTopicId = topic.sourceTopicId === '' ? null : topic.sourceTopicId;
    this.place = { topic: topic.sourceTopic, partition };
    this.position = position;
  }

  /** The copy goes on at another offset, when what is under way has ended. */
  goOnAt(offset: number): void {
    this.position = offset;
    this.lastEpoch = undefined;
    this.isCompared = false;
    this.emptyCount = 0;
    this.generation++;
  }

  worked(): void {
    this.failureCount = 0;
    this.error = undefined;
  }

  /** Something failed that may pass. */
  failed(error: string, nowMs: number): void {
    this.error = error;
    this.failureCount++;
    this.notBeforeMs = nowMs + Math.min(pauseMsMax, firstPauseMs * 2 ** Math.min(this.failureCount - 1, 10));
  }
}

const firstPauseMs = 250;
const pauseMsMax = 30_000;
