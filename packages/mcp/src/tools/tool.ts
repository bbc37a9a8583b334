import { catalogue, type OperationName } from '@weir/api';
import * as z from 'zod';
import type { ToolAnswer } from '../answers/answer.ts';
import type { IconName } from '../icons.ts';
import type { ToolContext } from './tool-context.ts';

/** A tool for models. It only reads, unless it says what it changes. */
export interface Tool {
  readonly name: string;
  readonly icon: IconName;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** The operations that it uses. */
  readonly operations: readonly OperationName[];
  /** The operation that it may call to change something, after the user has confirmed. */
  readonly changes?: OperationName | undefined;
  /** Whether the change can take something away. */
  readonly isDestructive?: boolean | undefined;
  readonly run: (args: never, context: ToolContext) => Promise<ToolAnswer>;
}

export interface ToolDefinition<Input extends z.ZodRawShape> {
  readonly name: string;
  /** The icon of its family. */
  readonly icon: IconName;
  /** The operations that it uses. The first provides the description. */
  readonly operations: readonly [OperationName, ...OperationName[]];
  /** Replaces the title of the operation, for tools that use several. */
  readonly title?: string;
  readonly summary?: string;
  /** What a model has to know in addition. */
  readonly note?: string;
  readonly changes?: OperationName;
  readonly isDestructive?: boolean;
  readonly input: Input;
  readonly output: z.ZodRawShape;
  readonly run: (args: z.output<z.ZodObject<Input>>, context: ToolContext) => Promise<ToolAnswer>;
}

/** The fields at the end of every answer. */
const tail = {
  truncated: z.boolean().describe('Whether something was left out.'),
  next_cursor: z.string().nullable().describe('The cursor of the next call, or null after the last row.'),
  hint: z.string().optional().describe('What to do next.'),
  /** The same in the console, for people. Its name says it, and each description costs every client tokens. */
  console_url: z.string().optional(),
};

/** Defines a tool with the description of its operation, unless it has its own. */
export function defineTool<Input extends z.ZodRawShape>(definition: ToolDefinition<Input>): Tool {
  const { name, icon, operations, changes, isDestructive, input, output, note } = definition;
  const operation = catalogue[operations[0]];
  const { title = operation.title, summary = operation.summary } = definition;
  return {
    name,
    icon,
    title,
    description: [summary, note].filter((words) => words !== undefined).join(' '),
    input: z.strictObject(input),
    output: z.object({ ...output, ...tail }),
    operations,
    changes,
    isDestructive,
    run: definition.run as Tool['run'],
  };
}
