import { readFields } from '../component/field.ts';
import type { Reading } from '../component/reading.ts';
import { entryOf, type YamlValue } from '../yaml/index.ts';
import { serviceFields } from './stream-fields.ts';
import { substituted } from './substitution.ts';

interface ServiceSettings {
  readonly instanceCount: number;
  /** Only agents of this group run it; those of any if absent. */
  readonly agentGroup: string | undefined;
}

/**
 * How the service runs a pipeline, of a configuration that was checked. It is read without the rest, which may refer to
 * secrets; settings of the service cannot.
 */
export function serviceSettingsOf(root: YamlValue): ServiceSettings {
  const service = root.kind === 'mapping' ? entryOf(root, 'service')?.value : undefined;
  if (service === undefined) return { instanceCount: 1, agentGroup: undefined };
  const { value, open } = substituted(service, undefined);
  const reading: Reading = {
    isLocal: false,
    isOpen: (found) => open.has(found),
    problem() {},
    warning() {},
    refersTo() {},
    mapping: () => undefined,
    component: () => undefined,
  };
  const fields = readFields(value, serviceFields, reading, 'root.service');
  return {
    instanceCount: fields?.cluster_concurrency_target ?? 1,
    agentGroup: fields?.pipeline_group || undefined,
  };
}
