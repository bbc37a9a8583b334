import type { MappingPorts } from '@weir/bloblang';
import type { Clock, Environment, Log, Random } from '@weir/core';
import type { ComponentConfig, ComponentKind } from './component-config.ts';
import type { HeldBack } from './held-back.ts';
import type { HttpListener } from './http-listener.ts';
import type { Instances } from './instances.ts';
import type { OutboundAccess } from './outbound-access.ts';
import type { ConnectionChange, PipelineMetrics } from './pipeline-metrics.ts';
import type { Resources } from './resources.ts';

/** How a pipeline reaches the cluster that it belongs to, for components that name no addresses. */
export interface OwnCluster {
  readonly brokers: readonly string[];
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly usesTls?: boolean | undefined;
  /** Certificates in PEM that its listeners may have or are issued by, beside those of public authorities. */
  readonly trustedCertificates?: string | undefined;
  /** Whether the first of `brokers` serves for all of them. */
  readonly isOneAddress?: boolean | undefined;
}

/** What a process offers to the pipelines that it runs. */
export interface PipelineServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: PipelineMetrics;
  /** What mappings may ask of the process. */
  readonly mappingPorts: MappingPorts;
  /** Which addresses components may connect to. */
  readonly outbound: OutboundAccess;
  /** Absent if the pipeline belongs to no cluster. */
  readonly ownCluster?: OwnCluster | undefined;
  /** Named secrets, by their name; a configuration refers to them. */
  readonly secret?: ((name: string) => string | undefined) | undefined;
  /** For pipelines that a person runs: where clients of clouds find credentials. Managed pipelines have none. */
  readonly environment?: Environment | undefined;
  /** Where requests come from; absent if a person runs the pipeline, which then listens on its own. */
  readonly httpListener?: HttpListener | undefined;
  /** Resolves when bytes of messages may be processed, or when `stop` is aborted. If absent, there is no limit. */
  readonly admit?: ((bytes: number, stop: AbortSignal) => Promise<void>) | undefined;
  /** Standard input and output, for pipelines that a person runs. */
  readonly standardStreams?: StandardStreams | undefined;
}

interface StandardStreams {
  readonly input: AsyncIterable<Buffer>;
  write(bytes: Buffer): Promise<void>;
}

/** What a component has. */
export interface ComponentContext extends PipelineServices {
  readonly label: string;
  readonly path: string;
  readonly resources: Resources;
  /** Counts a connection, if the component is an input or an output. */
  connection(change: ConnectionChange): void;
  /** Inputs that wait until messages are settled. */
  readonly heldBack: HeldBack;
  /** Makes a child; the parent closes it. */
  open<Kind extends ComponentKind>(config: ComponentConfig<Kind>): Promise<Instances[Kind]>;
  /** Aborted when the pipeline has to end without waiting for anything. */
  readonly stop: AbortSignal;
}
