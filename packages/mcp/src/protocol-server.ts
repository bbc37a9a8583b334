import {
  type CacheHint,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { ApiError } from '@weir/api';
import { type Clock, type Log, type Metrics, nearestNames, release } from '@weir/core';
import { ToolProblem } from './answers/problem.ts';
import { completionOf, valuesOf } from './prompts/completions.ts';
import type { Prompt } from './prompts/prompts.ts';
import { type FixedResource, mimeType, type ResourceFamily } from './resources/resources.ts';
import { confirmOf } from './tools/confirmation.ts';
import { runTool, toolContextOf } from './tools/run-tool.ts';
import type { Tool } from './tools/tool.ts';
import type { CallOperation } from './tools/tool-context.ts';
import { listedTool } from './tools/tool-list.ts';

/** What a server offers. */
export interface ServerManifest {
  readonly name: string;
  readonly title: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly resources: readonly FixedResource[];
  readonly families: readonly ResourceFamily[];
  readonly prompts: readonly Prompt[];
  /** Whether it is the same for all callers, so that responses may be cached and shared. */
  readonly isPublic: boolean;
}

interface ServerDeps {
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** How long clients may cache lists. They change with releases only. */
const listsCacheMs = 300_000;

/**
 * Makes servers for single requests. What is the same for all callers is serialized once; a request only looks up a
 * handler. It uses the library's low-level server because the other one serializes all schemas with each request.
 */
export function serverMaker(
  offer: ServerManifest,
  deps: ServerDeps,
): (callOperation: CallOperation, caller: string, confirmationKey?: Uint8Array) => Server {
  const { publicUrl, clock, log, metrics } = deps;
  const toolsByName = new Map(offer.tools.map((tool) => [tool.name, tool]));
  const promptsByName = new Map(offer.prompts.map((prompt) => [prompt.name, prompt]));
  let written: { readonly siteUrl: string; readonly lists: ReturnType<typeof listsOf> } | undefined;
  const cacheHint: CacheHint = { ttlMs: listsCacheMs, cacheScope: offer.isPublic ? 'public' : 'private' };
  const options = {
    capabilities: {
      tools: {},
      ...(offer.resources.length + offer.families.length > 0 ? { resources: {} } : {}),
      ...(offer.prompts.length > 0 ? { prompts: {} } : {}),
      completions: {},
    },
    instructions: offer.instructions,
    cacheHints: {
      'tools/list': cacheHint,
      'prompts/list': cacheHint,
      'resources/list': cacheHint,
      'resources/templates/list': cacheHint,
      'server/discover': cacheHint,
      // The same for all callers.
      'resources/read': { ttlMs: listsCacheMs, cacheScope: 'public' } as const,
    },
  };
  const info = { name: offer.name, title: offer.title, version: release };

  return (callOperation, caller, confirmationKey) => {
    const runner = { caller, callOperation, publicUrl, clock, log, metrics };
    const server = new Server(info, options);
    server.setRequestHandler('tools/list', ({ params }) => onePage(params, lists().tools));
    server.setRequestHandler('tools/call', ({ params }, context) => {
      const tool = toolsByName.get(params.name);
      if (tool === undefined) throw unknownName('tool', params.name, toolsByName.keys());
      return runTool(
        {
          tool,
          args: params.arguments,
          stop: context.mcpReq.signal,
          onProgress: progressOf(context),
          confirm: confirmationKey && confirmOf(context, confirmationKey),
        },
        runner,
      );
    });
    server.setRequestHandler('completion/complete', ({ params }, { mcpReq }) =>
      orInvalid(async () => {
        const { ref, argument } = params;
        const given = params.context?.arguments ?? {};
        const context = toolContextOf({ stop: mcpReq.signal }, runner);
        const values =
          ref.type === 'ref/prompt'
            ? await valuesOf(argumentOf(ref.name, argument.name)?.completedBy, given, argument.value, context)
            : (familyAt(ref.uri)?.values() ?? []);
        return { completion: completionOf(values, argument.value) };
      }),
    );
    if (options.capabilities.resources !== undefined) serveResources(server);
    if (options.capabilities.prompts !== undefined) servePrompts(server);
    return server;
  };

  function serveResources(server: Server): void {
    server.setRequestHandler('resources/list', ({ params }) => onePage(params, lists().resources));
    server.setRequestHandler('resources/templates/list', ({ params }) => onePage(params, lists().templates));
    server.setRequestHandler('resources/read', ({ params: { uri } }) => {
      const text = textAt(uri);
      if (text === undefined) throw new ResourceNotFoundError(uri);
      return { contents: [{ uri, mimeType, text }] };
    });
  }

  function servePrompts(server: Server): void {
    server.setRequestHandler('prompts/list', ({ params }) => onePage(params, lists().prompts));
    server.setRequestHandler('prompts/get', ({ params }) => {
      const prompt = promptsByName.get(params.name);
      if (prompt === undefined) throw unknownName('prompt', params.name, promptsByName.keys());
      const args = params.arguments ?? {};
      const missing = prompt.args.find(({ name, isRequired }) => isRequired && args[name] === undefined);
      if (missing !== undefined) throw invalid(`The argument ${missing.name} is missing.`);
      return {
        description: prompt.description,
        messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.text(args) } }],
      };
    });
  }

  /** Once per URL of the site, which is fixed after the start of a process. */
  function lists() {
    const siteUrl = publicUrl();
    if (written?.siteUrl !== siteUrl) written = { siteUrl, lists: listsOf(offer, siteUrl) };
    return written.lists;
  }

  function argumentOf(prompt: string, name: string) {
    const found = promptsByName.get(prompt);
    if (found === undefined) throw unknownName('prompt', prompt, promptsByName.keys());
    return found.args.find((one) => one.name === name);
  }

  function familyAt(uriTemplate: string): ResourceFamily | undefined {
    return offer.families.find((family) => family.uriTemplate === uriTemplate);
  }

  function textAt(uri: string): string | undefined {
    const fixed = offer.resources.find((resource) => resource.uri === uri);
    if (fixed !== undefined) return fixed.read();
    for (const { uriTemplate, read } of offer.families) {
      const prefix = uriTemplate.slice(0, uriTemplate.indexOf('{'));
      if (uri.startsWith(prefix)) return read(uri.slice(prefix.length));
    }
    return undefined;
  }
}

function listsOf({ tools, resources, families, prompts }: ServerManifest, siteUrl: string) {
  return {
    tools: { tools: tools.map((tool) => listedTool(tool, siteUrl)) },
    resources: {
      resources: [
        ...resources.map(({ uri, name, title, description }) => ({
          uri,
          name,
          title,
          description,
          mimeType,
        })),
        ...families.flatMap(({ uriTemplate, name, title, values }) => {
          const prefix = uriTemplate.slice(0, uriTemplate.indexOf('{'));
          return values().map((value) => ({
            uri: prefix + value,
            name: `${name}-${value}`,
            title: `${title}: ${value}`,
            mimeType,
          }));
        }),
      ],
    },
    templates: {
      resourceTemplates: families.map(({ uriTemplate, name, title, description }) => ({
        uriTemplate,
        name,
        title,
        description,
        mimeType,
      })),
    },
    prompts: {
      prompts: prompts.map(({ name, title, description, args }) => ({
        name,
        title,
        description,
        arguments: args.map((one) => ({
          name: one.name,
          description: one.description,
          required: one.isRequired,
        })),
      })),
    },
  };
}

/** Lists have one page, so only the empty cursor is valid. */
function onePage<List extends object>(
  params: { readonly cursor?: string | undefined } | undefined,
  list: List,
): List {
  if ((params?.cursor ?? '') !== '') throw invalid('Unknown cursor; the list has one page.');
  return { ...list };
}

/** Sends progress to a client that requested it, on the stream of its own request. */
function progressOf({ mcpReq }: ServerContext): ((seconds: number) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (seconds) => {
    const params = { progressToken, progress: seconds, message: `Still working after ${seconds} s.` };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function unknownName(kind: string, name: string, known: Iterable<string>): ProtocolError {
  const [near] = nearestNames(name, known, 1);
  const hint = near === undefined ? `${kind}s/list lists them` : `did you mean ${near}?`;
  return invalid(`Unknown ${kind} ${JSON.stringify(name.slice(0, 128))}; ${hint}`);
}

/** Reports an error that the caller can fix as invalid parameters, not as an internal error. */
async function orInvalid<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolProblem || error instanceof ApiError)
      throw invalid(`${error.code}: ${error.message}`);
    throw error;
  }
}
