import type * as z from 'zod';
import type { ToolAnswer } from '../answers/answer.ts';
import { clusterArgument } from './arguments.ts';
import { onEvents } from './event-search.ts';
import { onCluster } from './find-cluster.ts';
import { defineTool, type Tool, type ToolDefinition } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

interface ClusterToolDefinition<Input extends z.ZodRawShape> extends Omit<ToolDefinition<Input>, 'run'> {
  /** Whether it searches events. If the cluster records none, the error says how to enable them. */
  readonly needsEvents?: true;
  readonly run: (
    args: z.output<z.ZodObject<typeof clusterArgument & Input>>,
    context: ToolContext,
    clusterId: string,
  ) => Promise<ToolAnswer>;
}

/** Defines a tool about one virtual cluster, which its first argument names by id or name. */
export function defineClusterTool<Input extends z.ZodRawShape>(
  definition: ClusterToolDefinition<Input>,
): Tool {
  const { input, run, needsEvents, ...rest } = definition;
  const on = needsEvents === true ? onEvents : onCluster;
  return defineTool({
    ...rest,
    input: { ...clusterArgument, ...input } as typeof clusterArgument & Input,
    run: (args, context) =>
      on(context, (args as { virtual_cluster_id: string }).virtual_cluster_id, (clusterId) =>
        run(args, context, clusterId),
      ),
  });
}
