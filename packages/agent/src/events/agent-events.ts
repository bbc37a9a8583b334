import type { ClusterView, WritePath } from '@weir/broker';
import { clusterNameIn } from '@weir/broker';
import { clusterFacts } from '@weir/cluster';
import type { Clock, Log, Metrics, Random } from '@weir/core';
import type { EventEmitter } from '@weir/events/emission';
import { eventTypeNames, eventTypes } from '@weir/events/emission';
import { takesJobs } from '@weir/jobs';
import { ClusterMetricEvents } from './cluster-metric-events.ts';
import { ControlPlaneEvents, isEventsAgent } from './control-plane-events.ts';
import { emittingLog } from './emitting-log.ts';
import { createEmitter, type EmittingAgent } from './event-emitter.ts';
import { EventProcessor } from './event-processor.ts';
import { EventSwitch } from './event-switch.ts';
import { EventTopics } from './event-topics.ts';

interface AgentEventsOptions {
  readonly agent: EmittingAgent;
  readonly roles: readonly string[];
  /** The categories of background jobs that the agent takes; all if absent. */
  readonly jobCategories?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface AgentEventsParts {
  /** Must be ready. */
  readonly view: ClusterView;
  readonly writePath: Pick<WritePath, 'appendInBackground'>;
}

/** How often the retention of event topics is checked. */
const upkeepIntervalMs = 5_000;

/**
 * Events of one agent. Its log exists before everything else, and its lines become events from `start` on: lines from
 * before the agent knows its cluster are only in its log.
 */
export class AgentEvents {
  readonly emitter: EventEmitter;
  /** The log for all components except those that write events. */
  readonly log: Log;
  /** The same without events, for lines that already are an event of another type. */
  readonly plainLog: Log;
  readonly #options: AgentEventsOptions;
  #view: ClusterView | undefined;
  #clusterName: () => string | undefined = () => undefined;
  #processor: EventProcessor | undefined;
  readonly #running = new DisposableStack();

  constructor(options: AgentEventsOptions) {
    this.#options = options;
    this.emitter = createEmitter({
      ...options,
      agent: { ...options.agent, clusterName: () => this.#clusterName() },
      events: new EventSwitch(() => this.#view?.clusterConfigs() ?? noConfigs),
      processor: {
        submit: (type, event, timeMs) => this.#processor?.submit(type, event, timeMs),
        refuse: () => this.#processor?.refuse(),
      },
    });
    this.plainLog = options.log;
    this.log = emittingLog(options.log, this.emitter);
  }

  start({ view, writePath }: AgentEventsParts): void {
    const { agent, clock, metrics } = this.#options;
    const { agentId } = agent;
    const log = this.plainLog.with({ module: 'events' });
    const topics = new EventTopics(view, log);
    this.#processor = new EventProcessor({ topics, writePath, clock, log, metrics });
    this.#view = view;
    this.#clusterName = clusterNameIn(view.records(clusterFacts.name.namespace));
    if (!takesJobs(this.#options, 'events')) return;
    const { emitter } = this;
    const isChosen = () => isEventsAgent(agentId, view.agents());
    const stats = new ClusterMetricEvents({
      view,
      emitter,
      isReporter: isChosen,
      clock,
      log,
      metrics,
    });
    const ofControlPlane = new ControlPlaneEvents({
      port: view.port,
      agentId,
      isTaker: () => isChosen() && controlPlaneTypes.some((type) => emitter.isOn(type)),
      processor: this.#processor,
      clock,
      log,
    });
    stats.start();
    ofControlPlane.start();
    this.#running.defer(() => stats.stop());
    this.#running.defer(() => ofControlPlane.stop());
    let cancelUpkeep = () => {};
    const scheduleUpkeep = () => {
      cancelUpkeep = clock.after(upkeepIntervalMs, () => {
        if (isChosen()) topics.keep();
        scheduleUpkeep();
      });
    };
    scheduleUpkeep();
    this.#running.defer(() => cancelUpkeep());
  }

  /** Takes no more events, and resolves when the write path has the pending ones, which is soon. */
  async stop(): Promise<void> {
    this.#running.dispose();
    await this.#processor?.stop();
  }
}

const noConfigs: Readonly<Record<string, string>> = {};

const controlPlaneTypes = eventTypeNames.filter((type) =>
  eventTypes[type].emittedBy.includes('control_plane'),
);
