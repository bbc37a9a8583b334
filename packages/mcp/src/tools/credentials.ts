import { catalogue, consolePaths } from '@weir/api';
import * as z from 'zod';
import { answerOfRows } from '../answers/rows.ts';
import { hasQuery, listArguments, queryArgument } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { rowSchema } from './rows.ts';

/** Without what no question needs: each field costs tokens in every list of tools. */
const credential = catalogue.list_virtual_cluster_credentials.output.shape.credentials.element.omit({
  password_created_at: true,
});
const concise = ['name', 'username', 'is_cluster_superuser', 'created_at', 'last_used_at', 'old_password'];

export const credentialTools = [
  defineClusterTool({
    name: 'list_credentials',
    icon: 'access',
    operations: ['list_virtual_cluster_credentials'],
    input: { ...queryArgument, ...listArguments(50) },
    output: { total: z.int(), credentials: z.array(rowSchema(credential, concise)) },
    async run(args, context, clusterId) {
      const { credentials } = await context.call('list_virtual_cluster_credentials', {
        virtual_cluster_id: clusterId,
      });
      const unused = credentials.filter(({ last_used_at }) => last_used_at === null).length;
      return answerOfRows({
        tool: 'list_credentials',
        args,
        name: 'credentials',
        concise,
        items: credentials.filter(({ name }) => hasQuery(name, args.query)),
        keyOf: ({ id }) => id,
        rowsOf: (shown) => shown.map(({ password_created_at, ...row }) => row),
        hint: (shown, hasMore) => {
          if (shown.length === 0) return 'No credential matches.';
          if (unused > 0) return `${unused} of ${credentials.length} were never used.`;
          return hasMore ? undefined : 'explain_access says what one may do.';
        },
        consoleUrl: context.consoleUrl(consolePaths.credentials(clusterId)),
      });
    },
  }),
];
