import { type RouteRow, route } from './route.ts';

const exporterBody = {
  name: 'The name of the exporter.',
  contextType: '`AUTO`, `CUSTOM`, `NONE` or `DEFAULT`.',
  context: 'The context at the destination, for `CUSTOM`.',
  subjects:
    'Subjects to copy; a `*` at the end stands for any rest. `*` is the default context, `:.ctx:*` another one, `:*:` all of them.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the notation of the API.
  subjectRenameFormat: 'The name at the destination; `${subject}` is the name here.',
  config: `How the destination is reached: \`schema.registry.url\` and credentials. Values other than addresses may refer to named secrets of the cluster that allow exporters, as \`\${secret:NAME}\`.`,
} as const;

const describe = { on: 'registry', operation: 'DESCRIBE_CONFIGS' } as const;
const alter = { on: 'registry', operation: 'ALTER_CONFIGS' } as const;
/** Who starts an exporter reads by it what it copies. */
const start = { on: 'exporter', operation: 'ALTER_CONFIGS' } as const;

/** `/exporters`: copies to another registry. */
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
    summary: 'Creates an exporter and starts it.',
    body: exporterBody,
    access: 'write',
    needs: start,
    errors: [
      'invalidExporterName',
      'invalidExporterConfig',
      'invalidExporterSubjects',
      'exporterExists',
      'tooManyExporters',
    ],
    serve: (service, { body, isAllowed }) => service.exporters.create(body, isAllowed),
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
    needs: start,
    errors: ['exporterNotFound', 'exporterNotPaused', 'invalidExporterConfig', 'invalidExporterSubjects'],
    serve: (service, { path, body, isAllowed }) => service.exporters.update(path.name, body, isAllowed),
  }),
  route({
    operation: 'delete_exporter',
    method: 'DELETE',
    path: '/exporters/{name}',
    summary: 'Deletes it. It must be paused.',
    access: 'write',
    needs: alter,
    errors: ['exporterNotFound', 'exporterNotPaused'],
    serve: (service, { path }) => service.exporters.delete(path.name),
  }),
  route({
    operation: 'get_exporter_status',
    method: 'GET',
    path: '/exporters/{name}/status',
    summary:
      'Its state: `STARTING`, `RUNNING`, `PAUSED` or `ERROR`, the revision up to which everything is copied, and the last failure.',
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
    summary: 'Changes that. It must be paused.',
    body: { '*': 'Every field is a setting.' },
    access: 'write',
    needs: start,
    errors: ['exporterNotFound', 'exporterNotPaused', 'invalidExporterConfig'],
    serve: (service, { path, body, isAllowed }) => service.exporters.putConfig(path.name, body, isAllowed),
  }),
  ...(['pause', 'resume', 'reset'] as const).map((action) =>
    route({
      operation: `${action}_exporter`,
      method: 'PUT',
      path: `/exporters/{name}/${action}` as '/exporters/{name}/pause',
      summary: {
        pause: 'Pauses it. A job that runs stops within about ten seconds.',
        resume: 'Resumes it, also after a failure.',
        reset: 'Makes it copy everything anew when it is resumed. It must be paused.',
      }[action],
      access: 'write',
      needs: action === 'resume' ? start : alter,
      errors: action === 'reset' ? ['exporterNotFound', 'exporterNotPaused'] : ['exporterNotFound'],
      serve: (service, { path, isAllowed }) => service.exporters.control(path.name, action, isAllowed),
    }),
  ),
];
