import type { ClusterView } from '@weir/broker';
import type { Log } from '@weir/core';
import { OwnRegistry } from '@weir/gateway';
import type { CommonContext } from '../agent-context.ts';
import { started } from '../component.ts';
import { unlessGivenUp } from '../start-and-stop.ts';

interface Needs extends CommonContext<'clusterId' | 'clock' | 'random' | 'log' | 'metrics'> {
  readonly view: ClusterView;
}

function open({ options, tenantAccess, view }: Needs): OwnRegistry {
  return new OwnRegistry({ ...options, tenantAccess, cluster: view.port, changes: view });
}

/** The schema registry of the cluster. */
export const ownRegistry = {
  name: 'schema registry',
  start(context: Needs) {
    const own = open(context);
    return started({ ownRegistry: own }, () => own.close());
  },
};

/** The schema registry of the cluster if the agent serves one, and the schemas that records must fit. */
export const optionalRegistry = {
  name: 'schema registry',
  start(context: Needs & CommonContext<'registry' | 'schemas'>) {
    const { registry, schemas } = context.options;
    const own = registry && open(context);
    return started({ ownRegistry: own, schemas: schemas ?? own?.schemas }, () => own?.close());
  },
};

/** Reads the registry at the start. Otherwise the clients of the first requests wait for it. */
export const loadedRegistry = {
  name: 'loaded schema registry',
  async start({
    options,
    ownRegistry: own,
  }: CommonContext<'givenUp' | 'log'> & { readonly ownRegistry: OwnRegistry }) {
    const abandoned = Promise.withResolvers<void>();
    const loading = Promise.race([loaded(own, options.log), abandoned.promise]);
    await unlessGivenUp(loading, abandoned.resolve, options.givenUp);
    return started({});
  },
};

/** If it fails, requests try again. */
async function loaded(own: OwnRegistry, log: Log): Promise<void> {
  try {
    const { service } = await own.open();
    await service();
  } catch (error) {
    log.warn('failed to load schema registry at the start', { error: String(error) });
  }
}
