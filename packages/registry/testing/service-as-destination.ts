import { RegistryRefusal } from '../src/client/client-error.ts';
import type { ExportDestination } from '../src/exporting/copy-subjects.ts';
import { RegistryError } from '../src/registry-error.ts';
import type { RegistryService } from '../src/service/registry-service.ts';
import { serviceAsSource } from './service-as-source.ts';

/** Writes to a registry as its client does, without HTTP. Each request is counted by the name of its method. */
export function serviceAsDestination(service: RegistryService): ExportDestination & {
  readonly requests: Map<string, number>;
  /** Runs before each request, where tests fail or stop it. */
  before: (method: string) => void;
} {
  const { subjects, versions, schemaOfVersion, config } = serviceAsSource(service);
  const requests = new Map<string, number>();
  const destination = {
    requests,
    before: (_method: string) => {},
    subjects,
    versions,
    schemaOfVersion,
    config,
    mode: async (scope, { defaultToGlobal } = {}) =>
      service.mode(scope, { defaultToGlobal }).then(({ mode }) => mode),
    register: async (subject, schema) => {
      const { id } = await refused(service.register(subject, schema));
      return { id };
    },
    deleteSubject: async (subject, { permanent } = {}) =>
      refused(service.deleteSubject(subject, { permanent })),
    deleteVersion: async (subject, version, { permanent } = {}) =>
      refused(service.deleteVersion(subject, String(version), { permanent })),
    putConfig: async (body, scope) => void (await refused(service.putConfig(scope, body))),
    deleteConfig: async (scope) => void (await refused(service.deleteConfig(scope))),
    putMode: async (mode, scope) => void (await refused(service.putMode(scope, { mode }))),
    deleteMode: async (scope) => void (await refused(service.deleteMode(scope))),
  } satisfies ExportDestination & { requests: unknown; before: unknown };
  return new Proxy(destination, {
    get(target, name: string) {
      const value = target[name as keyof typeof target] as unknown;
      if (typeof value !== 'function' || name === 'before') return value;
      return async (...input: unknown[]) => {
        requests.set(name, (requests.get(name) ?? 0) + 1);
        target.before(name);
        return await (value as (...input: unknown[]) => Promise<unknown>)(...input);
      };
    },
  });
}

async function refused<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw new RegistryRefusal('the destination', Math.floor(error.code / 100), error.message, {
      errorCode: error.code,
    });
  }
}
