import { type RouteRow, route } from './route.ts';

const exporterBody = {
  name: 'The name of the exporter.',
  contextType: '`AUTO`, `CUSTOM`, `NONE` or `DEFAULT`.',
  context: 'The context at the destination, for `CUSTOM`.',
  subjects:
    'Subjects to copy; a `*` at the end matches any suffix. `*` is the default context, `:.ctx:*` another one, `:*:` all of them.',
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
    endpoint: 'GET /exporters',
    summary: 'Lists exporters.',
    needs: describe,
    serve: (service) => service.exporters.list(),
  }),
  route({
    operation: 'create_exporter',
    endpoint: 'POST /exporters',
    summary: 'Creates an exporter and starts it.',
    body: exporterBody,
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
    endpoint: 'GET /exporters/{name}',
    summary: 'An exporter.',
    needs: describe,
    serve: (service, { path }) => service.exporters.get(path.name),
  }),
  route({
    operation: 'update_exporter',
    endpoint: 'PUT /exporters/{name}',
    summary: 'Changes it. It must be paused.',
    body: exporterBody,
    needs: start,
    errors: ['exporterNotFound', 'exporterNotPaused', 'invalidExporterConfig', 'invalidExporterSubjects'],
    serve: (service, { path, body, isAllowed }) => service.exporters.update(path.name, body, isAllowed),
  }),
  route({
    operation: 'delete_exporter',
    endpoint: 'DELETE /exporters/{name}',
    summary: 'Deletes it. It must be paused.',
    needs: alter,
    errors: ['exporterNotFound', 'exporterNotPaused'],
    serve: (service, { path }) => service.exporters.delete(path.name),
  }),
  route({
    operation: 'get_exporter_status',
    endpoint: 'GET /exporters/{name}/status',
    summary:
      'Its state: `STARTING`, `RUNNING`, `PAUSED` or `ERROR`, the revision up to which everything is copied, and the last failure.',
    needs: describe,
    serve: (service, { path }) => service.exporters.status(path.name),
  }),
  route({
    operation: 'get_exporter_config',
    endpoint: 'GET /exporters/{name}/config',
    summary: 'How it reaches its destination, without secrets.',
    needs: describe,
    serve: (service, { path }) => service.exporters.config(path.name),
  }),
  route({
    operation: 'put_exporter_config',
    endpoint: 'PUT /exporters/{name}/config',
    summary: 'Changes that. It must be paused.',
    body: { '*': 'Every field is a setting.' },
    needs: start,
    errors: ['exporterNotFound', 'exporterNotPaused', 'invalidExporterConfig'],
    serve: (service, { path, body, isAllowed }) => service.exporters.putConfig(path.name, body, isAllowed),
  }),
  ...(['pause', 'resume', 'reset'] as const).map((action) =>
    route({
      operation: `${action}_exporter`,
      endpoint: `PUT /exporters/{name}/${action}`,
      summary: {
        pause: 'Pauses it. A job that runs stops within about ten seconds.',
        resume: 'Resumes it, also after a failure.',
        reset: 'Makes it copy everything again when it is resumed. It must be paused.',
      }[action],
      needs: action === 'resume' ? start : alter,
      errors: action === 'reset' ? ['exporterNotFound', 'exporterNotPaused'] : ['exporterNotFound'],
      serve: (service, { path, isAllowed }) => service.exporters.control(path.name, action, isAllowed),
    }),
  ),
];
