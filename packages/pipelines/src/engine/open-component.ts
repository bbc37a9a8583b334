import { MappingFailure } from '@weir/bloblang';
import type { ComponentConfig, ComponentKind } from '../component/component-config.ts';
import type { ComponentContext, PipelineServices } from '../component/component-context.ts';
import type { ComponentSpec } from '../component/component-spec.ts';
import { HeldBack } from '../component/held-back.ts';
import type { Input, Instances, Output, RateLimit } from '../component/instances.ts';
import { Resources } from '../component/resources.ts';
import type { Catalogue } from '../config/catalogue.ts';
import { Chain } from './chain.ts';
import { ProcessedInput, ProcessedOutput } from './processed.ts';

interface Opened {
  close?(): Promise<void>;
}

/** Opens the components of a pipeline, and remembers the resources to close them. */
export class Opening {
  readonly resources = new Resources();
  readonly heldBack = new HeldBack();
  readonly #services: PipelineServices;
  readonly #catalogue: Catalogue;
  readonly #stop: AbortSignal;
  readonly #openedResources: Opened[] = [];
  readonly #mappingPorts: PipelineServices['mappingPorts'];

  constructor(services: PipelineServices, catalogue: Catalogue, stop: AbortSignal) {
    this.#services = services;
    this.#catalogue = catalogue;
    this.#stop = stop;
    this.#mappingPorts = {
      ...services.mappingPorts,
      cache: (label) => {
        const cache = this.resources.find('cache', label);
        if (cache !== undefined && cache.now === undefined)
          // No default of the mapping may hide it.
          throw new MappingFailure(
            `the cache '${label}' has to be waited for, which mappings cannot; use the processor cache, or a cache such as memory`,
            false,
          );
        return cache?.now;
      },
    };
  }

  async open<Kind extends ComponentKind>(config: ComponentConfig<Kind>): Promise<Instances[Kind]> {
    const context = this.contextOf(config);
    const spec = this.#catalogue.get(config.kind, config.name);
    if (spec === undefined) throw new Error(`there is no ${config.kind} ${config.name}`);
    const opened = await this.#connected(spec, config.values, context);
    if (config.processors.length === 0) return opened;
    const chain = await Chain.open(config.processors, context);
    const processed: Input | Output =
      config.kind === 'input'
        ? new ProcessedInput(opened as Input, chain)
        : new ProcessedOutput(opened as Output, chain);
    return processed as Instances[Kind];
  }

  /** What has no lasting connection is connected once it is open, as Bento counts it. */
  async #connected<Kind extends ComponentKind>(
    spec: ComponentSpec<Kind>,
    values: unknown,
    context: ComponentContext,
  ): Promise<Instances[Kind]> {
    if (spec.connectionsCountedBy !== undefined) return spec.open(values, context);
    try {
      const opened = await spec.open(values, context);
      context.connection('up');
      return opened;
    } catch (error) {
      context.connection('failed');
      throw error;
    }
  }

  /** Opens a component that others use by its label. */
  async openResource<Kind extends ComponentKind>(config: ComponentConfig<Kind>): Promise<void> {
    const opened = await this.open(config);
    this.#openedResources.push(opened as Opened);
    const counted = config.kind === 'rate_limit' ? this.#counted(opened as RateLimit) : opened;
    this.resources.add(config.kind, config.label, counted as Instances[Kind]);
  }

  #counted(limit: RateLimit): RateLimit {
    return {
      take: async (byteCount) => {
        const waitMs = await limit.take(byteCount);
        this.#services.metrics.limited(waitMs > 0);
        return waitMs;
      },
      close: () => limit.close(),
    };
  }

  async close(): Promise<void> {
    for (const opened of this.#openedResources.toReversed()) await opened.close?.();
  }

  contextOf({
    kind,
    label,
    path,
    name,
  }: Pick<ComponentConfig, 'kind' | 'label' | 'path' | 'name'>): ComponentContext {
    const log = this.#services.log.with({ stage: path, component: label === '' ? name : label });
    return {
      ...this.#services,
      mappingPorts: this.#mappingPorts,
      log,
      label,
      path,
      connection: (change) => {
        if (kind === 'input' || kind === 'output') this.#services.metrics.connection(kind, change);
      },
      resources: this.resources,
      heldBack: this.heldBack,
      open: (config) => this.open(config),
      stop: this.#stop,
    };
  }
}
