import type { ClusterView } from '@weir/broker';
import {
  clusterConfigValue,
  managedTopicNamespace,
  type PreflightOutcome,
  type PreflightQuestion,
  readManagedTopic,
} from '@weir/cluster';
import type { TenantAccess } from '@weir/cluster/outbound';
import { type Clock, coreLimits } from '@weir/core';
import { readConfiguration } from '@weir/migration/configuration';
import { type OwnFacts, preflight, readSourceFacts } from '@weir/migration/preflight';
import { openSource, sourceProblem } from '@weir/migration/source';
import { boundedPreflight } from './bounded-preflight.ts';

interface MigrationQuestionsOptions {
  readonly view: Pick<ClusterView, 'topics' | 'records' | 'clusterConfigs'> & {
    readonly port: Pick<ClusterView['port'], 'listGroups'>;
  };
  /** The sources that pipelines may name, and the variables where their credentials are. */
  readonly tenantAccess: TenantAccess;
  readonly clock: Clock;
}

/** Time to decide, and for the answer to get back. */
const answerMs = 3_000;

/** Answers what a migration would do. Nothing is changed, neither at the source nor here. */
export class MigrationQuestions {
  readonly #options: MigrationQuestionsOptions;

  constructor(options: MigrationQuestionsOptions) {
    this.#options = options;
  }

  /** Returns the outcome as JSON, refusals included. */
  async answer(
    question: PreflightQuestion,
    { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
  ): Promise<string> {
    const { clock } = this.#options;
    const late = new AbortController();
    const stopTimer = clock.after(Math.max(1_000, limitMs - answerMs), () => late.abort());
    try {
      return JSON.stringify(await this.#outcome(question, AbortSignal.any([signal, late.signal])));
    } catch (error) {
      signal.throwIfAborted();
      if (!late.signal.aborted) throw error;
      const message = 'the source did not answer all questions in time; try again, or choose fewer topics';
      return JSON.stringify({ kind: 'refused', reason: 'unavailable', message } satisfies PreflightOutcome);
    } finally {
      stopTimer();
    }
  }

  async #outcome(question: PreflightQuestion, stop: AbortSignal): Promise<PreflightOutcome> {
    const { tenantAccess, clock } = this.#options;
    const reading = readConfiguration(question.yaml);
    if ('problems' in reading) {
      const [{ place, message }] = reading.problems as readonly [(typeof reading.problems)[number]];
      return refusal('invalid', `line ${place.line}, column ${place.column}: ${message}`);
    }
    const { configuration } = reading;
    try {
      const secrets = question.secrets ?? {};
      const source = await openSource({ configuration, secrets, tenantAccess, clock, stop });
      try {
        const [facts, own] = await Promise.all([
          readSourceFacts(source, configuration, clock),
          this.#ownFacts(question),
        ]);
        const found = await preflight({ configuration, source: facts, own }, clock);
        return { kind: 'answered', answer: boundedPreflight(found, question.rowsMax) };
      } finally {
        await source.close();
      }
    } catch (error) {
      stop.throwIfAborted();
      if (!(error instanceof Error) || isBug(error)) throw error;
      return refusal('unavailable', sourceProblem(error));
    }
  }

  async #ownFacts({ pipelineId, jobAgentCount }: PreflightQuestion): Promise<OwnFacts> {
    const { view } = this.#options;
    const managed = view.records(managedTopicNamespace);
    const topics = Array.from(view.topics(), ({ topicId, name, partitionCount }) => {
      const entry = managed.byKey.get(topicId);
      return { name, partitionCount, managedBy: entry && readManagedTopic(entry).pipelineId };
    });
    const partitions = topics.reduce((sum, { partitionCount }) => sum + partitionCount, 0);
    const groups = await view.port.listGroups({ states: [], types: [] });
    return {
      pipelineId,
      topics,
      enforcesAcls: clusterConfigValue('service.acls.enabled', view.clusterConfigs()),
      busyGroups: new Set(
        groups.filter(({ state }) => state !== 'Empty' && state !== 'Dead').map(({ groupId }) => groupId),
      ),
      freePartitions: Math.max(0, coreLimits.partitionsPerClusterMax - partitions),
      jobAgentCount,
    };
  }
}

/** What is no answer of a source. */
function isBug(error: Error): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}

function refusal(reason: 'invalid' | 'unavailable', message: string): PreflightOutcome {
  return { kind: 'refused', reason, message };
}
