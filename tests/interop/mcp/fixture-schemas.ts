import { fromJsonSchema, type JsonSchemaType, type McpServer } from '@modelcontextprotocol/server';

/**
 * Tools with which the conformance suite checks argument schemas: whether they are listed completely, and whether
 * headers are validated against them.
 */

const schemas: Readonly<Record<string, object>> = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
  test_argument_in_header: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    required: ['region'],
  },
};

export function addFixtureSchemas(server: McpServer): void {
  for (const [name, schema] of Object.entries(schemas))
    server.registerTool(
      name,
      { description: `Takes what ${name} says.`, inputSchema: fromJsonSchema(schema as JsonSchemaType) },
      async (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
    );
}
