import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printJson } from '@weir/api';
import { openApiDocument as controlPlaneDocument } from '../../../packages/api/src/openapi.ts';
import { openApiDocument as agentDocument } from '../../../packages/gateway/src/http-api/openapi.ts';
import { missingOpenApiValidator, openApiVersionOf } from './validator.ts';

const skip = missingOpenApiValidator();
const documents = { agents: agentDocument, 'the control plane': controlPlaneDocument };
interface Document {
  readonly paths: Record<string, Record<string, { responses?: object }>>;
}

const asJson = (document: object) => JSON.parse(printJson(document)) as Document;

for (const [name, documentOf] of Object.entries(documents)) {
  test(`the OpenAPI document of ${name} follows the standard`, { skip }, async () => {
    assert.equal(await openApiVersionOf(asJson(documentOf())), '3.1');
  });
}

test('the validator finds a mistake', { skip }, async () => {
  const document = asJson(agentDocument()) as {
    paths: Record<string, Record<string, { responses?: object }>>;
  };
  document.paths['/topics']!.get!.responses = { 200: {} };
  await assert.rejects(openApiVersionOf(document), /not valid/);
});
