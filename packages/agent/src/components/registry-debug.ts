import { DebugEndpoints, type RegistrySettings } from '@weir/gateway';
import { started } from '../component.ts';
import type { HttpAnswers } from './http-listener.ts';
import type { Callers } from './security.ts';

interface Needs {
  readonly options: { readonly registry: RegistrySettings };
  readonly httpAnswers: HttpAnswers;
  readonly callers: Callers;
}

/** Debug endpoints of an agent that serves a schema registry and no records. */
export const registryDebug = {
  name: 'debug endpoints',
  start({ options, httpAnswers, callers }: Needs) {
    httpAnswers.debug = new DebugEndpoints({ ...callers, requiresLogin: options.registry.requiresLogin });
    return started({});
  },
};
