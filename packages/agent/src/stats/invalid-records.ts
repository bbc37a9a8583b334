import type { InvalidRecords } from '@weir/cluster';
import { coreLimits, shortName } from '@weir/core';
import { agentLimits } from '../limits.ts';

/** Records that do not fit their schema, by topic and reason. Those of further topics are not stored. */
export class InvalidRecordCounts {
  readonly #byTopic = new Map<string, Map<string, number>>();

  note(topic: string, reason: string, count: number): void {
    let reasons = this.#byTopic.get(topic);
    if (reasons === undefined) {
      if (this.#byTopic.size >= agentLimits.notedTopicsMax) return;
      reasons = new Map();
      this.#byTopic.set(topic, reasons);
    }
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }

  /** Merges the stats of another instance. */
  absorb(other: InvalidRecordCounts): void {
    for (const [topic, reasons] of other.#byTopic)
      for (const [reason, count] of reasons) this.note(topic, reason, count);
  }

  /** The most frequent ones. */
  report(): readonly InvalidRecords[] {
    return [...this.#byTopic]
      .flatMap(([topic, reasons]) =>
        [...reasons].map(([reason, count]) => ({ topic: shortName(topic), reason, count })),
      )
      .sort((a, b) => b.count - a.count)
      .slice(0, coreLimits.reportedInvalidRecordsMax);
  }
}
