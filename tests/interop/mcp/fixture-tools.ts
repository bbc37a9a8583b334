import type { CallToolResult, McpServer, ServerNotifier } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** Tools with which the conformance suite checks the kinds of content. The suite prescribes their names and texts. */

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

export const picture = { type: 'image' as const, data: png, mimeType: 'image/png' };

const text = (words: string) => ({ type: 'text' as const, text: words });
const resource = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});

const contents: Readonly<Record<string, CallToolResult['content']>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [picture],
  test_audio_content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    picture,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
  test_streaming_elicitation: [text('Nothing was asked.')],
};

export function addFixtureTools(server: McpServer, changes: () => ServerNotifier): void {
  for (const [name, content] of Object.entries(contents))
    server.registerTool(name, { description: `Answers with what ${name} says.` }, async () => ({ content }));

  server.registerTool('test_error_handling', { description: 'Fails.' }, async () => {
    throw new Error('This tool intentionally returns an error for testing');
  });

  server.registerTool(
    'test_tool_with_progress',
    { description: 'Tells three times how far it is.', inputSchema: z.object({}) },
    async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100])
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: progressToken!, progress, total: 100, message: `${progress} of 100` },
        });
      return { content: [text(String(progressToken ?? 'no token'))] };
    },
  );

  server.registerTool(
    'test_tool_with_logging',
    { description: 'Logs three lines, for old clients.', inputSchema: z.object({}) },
    async (_args, { mcpReq }) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
        await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
      return { content: [text('Logged.')] };
    },
  );

  server.registerTool(
    'test_logging_tool',
    { description: 'Logs for those who want it.', inputSchema: z.object({}) },
    async (_args, { mcpReq }) => {
      await mcpReq.log('info', 'for those who asked');
      return { content: [text('Logged.')] };
    },
  );

  server.registerTool(
    'test_trigger_tool_change',
    { description: 'Tells of a change of tools.' },
    async () => {
      changes().toolsChanged();
      return { content: [text('Told.')] };
    },
  );
  server.registerTool(
    'test_trigger_prompt_change',
    { description: 'Tells of a change of prompts.' },
    async () => {
      changes().promptsChanged();
      return { content: [text('Told.')] };
    },
  );
}
