import type { InputOf, OutputOf } from '@weir/api';
import type { CallContext } from '../call-context.ts';
import type { OperationHandlers } from '../handler.ts';
import type { SchemaHandlers } from './schema-handlers.ts';
import type { ClusterServices } from './services.ts';

/**
 * The operations on schema registries. The registry with its three languages of schemas is loaded at the first call, so
 * that processes start without it.
 */
export function schemaOperations(services: Pick<ClusterServices, 'registries'>) {
  let handlers: Promise<OperationHandlers<keyof SchemaHandlers>> | undefined;
  const lazily =
    <Name extends keyof SchemaHandlers>(name: Name) =>
    async (input: InputOf<Name>, context: CallContext): Promise<OutputOf<Name>> => {
      handlers ??= import('./schema-handlers.ts').then(({ schemaHandlers }) => schemaHandlers(services));
      return (await handlers)[name](input, context);
    };
  return {
    list_subjects: lazily('list_subjects'),
    describe_schema: lazily('describe_schema'),
    check_schema_compatibility: lazily('check_schema_compatibility'),
    check_registry_changes: lazily('check_registry_changes'),
    register_schema: lazily('register_schema'),
    delete_subject: lazily('delete_subject'),
    delete_schema_version: lazily('delete_schema_version'),
    describe_registry_config: lazily('describe_registry_config'),
    update_registry_config: lazily('update_registry_config'),
  } satisfies OperationHandlers<keyof SchemaHandlers>;
}
