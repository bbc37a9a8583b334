import { RegistryError } from '@weir/registry';
import { type RouteRow, route } from './route.ts';

const exporterBody = {
  name: 'The name of the exporter.',
  contextType: '`AUTO`, `CUSTOM`, `NONE` or `DEFAULT`.',
  context: 'The context at the destination, for `CUSTOM`.',
  subjects: 'Subjects to copy; a trailing `*` stands for any rest.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the notation of the API.
  subjectRenameFormat: 'The name at the destination; `${subject}` is the name here.',
  config: 'How the destination is reached: `schema.registry.url` and credentials.',
} as const;

const describe = { on: 'registry', operation: 'DESCRIBE_CONFIGS' } as const;
const alter = { on: 'registry', operation: 'ALTER_CONFIGS' } as const;

/** What was stored would look as if schemas were copied. */
function refuseToRun(): never {
  throw new RegistryError(
    'invalidExporter',
    'This release does not run exporters: copy schemas with a pipeline of the type schema_linking at the destination.',
  );
}

/** `/exporters`: copies to another registry. No loop runs them yet. */
export const exporterRoutes: readonly RouteRow[] = [
  route({
    operation: 'list_exporters',
    method: 'GET',
    path: '/exporters',
    summary: 'Lists exporters.',
    access: 'read',
    needs: describe,
    serve: (service) => service.exporters.list(),
  }),
  route({
    operation: 'create_exporter',
    method: 'POST',
    path: '/exporters',
    summary: 'Creates an exporter and starts it. Refused: this release does not run exporters.',
    body: exporterBody,
    access: 'write',
    needs: alter,
    serve: refuseToRun,
  }),
  route({
    operation: 'get_exporter',
    method: 'GET',
    path: '/exporters/{name}',
    summary: 'An exporter.',
    access: 'read',
    needs: describe,
    serve: (service, { path }) => service.exporters.get(path.name),
  }),
  route({
    operation: 'update_exporter',
    method: 'PUT',
    path: '/exporters/{name}',
    summary: 'Changes it. It must be paused.',
    body: exporterBody,
    access: 'write',
    needs: alter,
    serve: (service, { path, body }) => service.exporters.update(path.name, body),
  }),
  route({
    operation: 'delete_exporter',
    method: 'DELETE',
    path: '/exporters/{name}',
    summary: 'Deletes it.',
    access: 'write',
    needs: alter,
    serve: (service, { path }) => service.exporters.delete(path.name),
  }),
  route({
    operation: 'get_exporter_status',
    method: 'GET',
    path: '/exporters/{name}/status',
    summary: 'Its state.',
    access: 'read',
    needs: describe,
    serve: (service, { path }) => service.exporters.status(path.name),
  }),
  route({
    operation: 'get_exporter_config',
    method: 'GET',
    path: '/exporters/{name}/config',
    summary: 'How it reaches its destination, without secrets.',
    access: 'read',
    needs: describe,
    serve: (service, { path }) => service.exporters.config(path.name),
  }),
  route({
    operation: 'put_exporter_config',
    method: 'PUT',
    path: '/exporters/{name}/config',
    summary: 'Changes that.',
    body: { '*': 'Every field is a setting.' },
    access: 'write',
    needs: alter,
    serve: (service, { path, body }) => service.exporters.putConfig(path.name, body),
  }),
  ...(['pause', 'resume', 'reset'] as const).map((action) =>
    route({
      operation: `${action}_exporter`,
      method: 'PUT',
      path: `/exporters/{name}/${action}` as '/exporters/{name}/pause',
      summary: {
        pause: 'Pauses it.',
        resume: 'Resumes it. Refused, like the creation.',
        reset: 'Makes it begin anew; it must be paused.',
      }[action],
      access: 'write',
      needs: alter,
      serve:
        action === 'resume'
          ? refuseToRun
          : (service, { path }) => service.exporters.control(path.name, action),
    }),
  ),
];
