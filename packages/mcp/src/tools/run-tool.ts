import { hash } from 'node:crypto';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { ApiError, catalogue, type OperationName, problemsInWords } from '@weir/api';
import type { Clock, Log, Metrics } from '@weir/core';
import { ToolProblem } from '../answers/problem.ts';
import { problemOf } from '../endpoint/endpoint.ts';
import { mcpToolCallsRow, mcpToolSecondsRow } from '../endpoint/metric-rows.ts';
import { UnansweredQuestion } from './confirmation.ts';
import type { Tool } from './tool.ts';
import type { CallOperation, Confirm, ToolContext } from './tool-context.ts';

export interface ToolRunner {
  /** The name of the caller in the log. */
  readonly caller: string;
  readonly callOperation: CallOperation;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface ToolCall {
  readonly tool: Tool;
  readonly args: unknown;
  readonly stop: AbortSignal;
  /** Reports progress, if the caller requested it. */
  readonly onProgress?: ((seconds: number) => void) | undefined;
  /** Absent if the client cannot ask its user. */
  readonly confirm?: Confirm | undefined;
}

/** Progress is reported at this interval. */
const progressEveryMs = 1_000;

/**
 * Calls a tool. Every failure is an answer that says what to do; an internal error is logged and reported in one
 * sentence.
 */
export async function runTool(
  call: ToolCall,
  runner: ToolRunner,
): Promise<CallToolResult | InputRequiredResult> {
  const { tool } = call;
  const { clock, log, metrics } = runner;
  const begunMs = clock.monotonicMs();
  const stopProgress = reportProgress(call, clock);
  let result = 'ok';
  try {
    const { fields, text } = await tool.run(checked(tool, call.args) as never, toolContextOf(call, runner));
    return { content: [{ type: 'text', text }], structuredContent: { ...fields } };
  } catch (thrown) {
    if (thrown instanceof UnansweredQuestion) {
      result = 'asked';
      return thrown.result;
    }
    const { code, message } = problemFor(thrown, tool.name, log);
    result = code;
    return { isError: true, content: [{ type: 'text', text: `${code}: ${message}` }] };
  } finally {
    stopProgress();
    const ms = clock.monotonicMs() - begunMs;
    log.info('called tool', {
      tool: tool.name,
      caller: runner.caller,
      arguments: digestOf(call.args),
      result,
      ms: Math.round(ms),
    });
    metrics.series(mcpToolCallsRow, { tool: tool.name, result }).add(1);
    metrics.series(mcpToolSecondsRow, { tool: tool.name }).observe(ms / 1000);
  }
}

/** A digest that identifies equal calls in the log without revealing the arguments. */
function digestOf(args: unknown): string {
  return hash('sha256', JSON.stringify(args ?? {}), 'hex').slice(0, 16);
}

export function toolContextOf(
  { stop, tool, confirm }: Pick<ToolCall, 'stop' | 'confirm'> & Partial<Pick<ToolCall, 'tool'>>,
  { callOperation, publicUrl, clock }: Pick<ToolRunner, 'callOperation' | 'publicUrl' | 'clock'>,
): ToolContext {
  let isConfirmed = false;
  return {
    call: (name, input) => {
      const onlyValidates = (input as { readonly validate_only?: unknown }).validate_only === true;
      if (name !== tool?.changes || !(isConfirmed || onlyValidates)) requireReading(name, tool);
      return callOperation(name, input, stop);
    },
    canConfirm: confirm !== undefined,
    async confirm(question) {
      isConfirmed = confirm !== undefined && (await confirm(question));
      return isConfirmed;
    },
    consoleUrl: (path) => new URL(path, publicUrl()).href,
    clock,
  };
}

/**
 * Tools change nothing that they do not declare and the user has not confirmed, and read no records that they do not
 * declare, even with a key that may.
 */
function requireReading(name: OperationName, tool: Tool | undefined): void {
  const { access } = catalogue[name];
  const readsRecords = access === 'records' && tool?.operations.includes(name) === true;
  if (access !== 'read' && !readsRecords)
    throw new Error(`${name} changes something, and the tool may not do that now`);
}

function checked(tool: Tool, args: unknown): unknown {
  const found = tool.input.safeParse(args ?? {});
  if (found.success) return found.data;
  throw new ToolProblem('invalid_arguments', `${problemsInWords(found.error.issues, tool.input)}.`);
}

function problemFor(
  thrown: unknown,
  tool: string,
  log: Log,
): { readonly code: string; readonly message: string } {
  if (thrown instanceof ToolProblem) return thrown;
  if (thrown instanceof ApiError) return { code: thrown.code, message: thrown.message + adviceOn(thrown) };
  log.error('failed to run tool', { tool, ...problemOf(thrown) });
  return new ToolProblem('internal', 'Internal error; it has been logged. Try another way.');
}

function adviceOn({ code, isRetriable, retryAfterSeconds }: ApiError): string {
  if (code === 'unsupported_cluster_type') return ' list_virtual_clusters shows the type of each.';
  if (code === 'forbidden') return ' The key may see the virtual cluster and lacks the right to this.';
  return isRetriable ? ` Try again in ${retryAfterSeconds ?? 5} seconds.` : '';
}

function reportProgress({ onProgress }: ToolCall, clock: Clock): () => void {
  if (onProgress === undefined) return () => {};
  let seconds = 0;
  let cancel = () => {};
  const report = () => {
    seconds += progressEveryMs / 1000;
    onProgress(seconds);
    cancel = clock.after(progressEveryMs, report);
  };
  cancel = clock.after(progressEveryMs, report);
  return () => cancel();
}
