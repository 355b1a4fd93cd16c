/** Reads what the pod is told when it starts: one JSON document on standard input. */
import { type ModelAccess, type ModelRefusal, modelWires } from "#shared/models/model-wire.ts";
import { tokenKinds } from "#shared/models/token-counts.ts";
import { permissionModes } from "#shared/contracts/session-resource.ts";
import type { LaunchDocument, McpServer, Repository } from "#shared/pod/launch.ts";
import { isJsonObject, parseJsonObject } from "./io/json-object.ts";

const maxBytes = 2_097_152;

/** The message is a sentence that repeats nothing of the document, which holds secrets. */
export class LaunchDocumentError extends Error {
	override readonly name = "LaunchDocumentError";
}

/** @throws {LaunchDocumentError} when it is too long. */
export async function readLaunchText(input: AsyncIterable<Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of input) {
		bytes += chunk.length;
		if (bytes > maxBytes) throw new LaunchDocumentError(`Cannot use a launch document of more than ${maxBytes} bytes`);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

/** @throws {LaunchDocumentError} */
export function parseLaunchDocument(text: string): LaunchDocument {
	const document = parseJsonObject(text);
	if (!document) throw new LaunchDocumentError("Cannot read the launch document: it is cut off or no JSON object");
	if (isLaunchDocument(document)) return document;
	const wrong = wrongField(document);
	throw new LaunchDocumentError(`Cannot use a launch document whose "${wrong}" is missing or of the wrong kind`);
}

function isLaunchDocument(document: object): document is LaunchDocument {
	return wrongField(document) === undefined;
}

function wrongField(document: object): string | undefined {
	const wrong = Object.entries(fields).find(([field, isRight]) => !isRight(Reflect.get(document, field)));
	return wrong?.[0];
}

const fields: Record<keyof Required<LaunchDocument>, (value: unknown) => boolean> = {
	session_id: isName,
	generation: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
	installation: isName,
	proof: isName,
	platform_url: (value) => isText(value) && URL.canParse(value),
	pod_token: isSecret,
	platform_key: isSecret,
	status_file: isAbsolutePath,
	workspace: isAbsolutePath,
	state: isAbsolutePath,
	home: isAbsolutePath,
	git_home: (value) => value === "" || isAbsolutePath(value),
	agents: (value) => value === undefined || isAbsolutePath(value),
	lifeline_ms: isOptionalTime,
	interrupt_ms: isOptionalTime,
	name: isText,
	model: isText,
	repositories: (value) => Array.isArray(value) && value.every(isRepository),
	setup_scripts: isTextList,
	working_folder: isText,
	system_prompt: isText,
	initial_prompt: isText,
	env: isTextRecord,
	agent: isName,
	mcp_servers: (value) => Array.isArray(value) && value.every(isMcpServer),
	permission_mode: (value) => permissionModes.some((mode) => mode === value),
	model_access: (value) => value === undefined || isModelAccess(value),
	model_refusal: (value) => value === undefined || isModelRefusal(value),
	git_protocols: isTextList,
	budgeted: (value) => value === undefined || typeof value === "boolean",
};

function isRepository(value: unknown): value is Repository {
	return isJsonObject(value) && ["url", "branch", "base_branch", "path"].every((field) => isText(value[field]));
}

function isMcpServer(value: unknown): value is McpServer {
	if (!isJsonObject(value)) return false;
	const { name, type, command, args, env, url, headers } = value;
	const texts = isText(name) && (type === "stdio" || type === "http") && isText(command) && isText(url);
	return texts && isTextList(args) && isTextRecord(env) && isTextRecord(headers);
}

function isModelAccess(value: unknown): value is ModelAccess {
	if (!isJsonObject(value)) return false;
	const { provider, location, model, endpoints, key, context_window, prices } = value;
	const texts = [provider, location, model, key].every(isText);
	const numbers = Number.isSafeInteger(context_window) && (prices === undefined || areTokenPrices(prices));
	return texts && isTextRecord(endpoints) && numbers;
}

function areTokenPrices(value: unknown): boolean {
	return isJsonObject(value) && tokenKinds.every((bucket) => Number.isSafeInteger(value[bucket]));
}

function isModelRefusal(value: unknown): value is ModelRefusal {
	if (!isJsonObject(value)) return false;
	const { model, reason, wires } = value;
	const known: readonly string[] = modelWires;
	return isText(model) && isText(reason) && isTextList(wires) && wires.every((wire) => known.includes(wire));
}

function isOptionalTime(value: unknown): boolean {
	return value === undefined || (Number.isSafeInteger(value) && Number(value) > 0);
}

/** Short, and harmless in paths. */
function isName(value: unknown): boolean {
	return isText(value) && /^[\w-]{1,40}$/.test(value);
}

/** An empty key would let anybody in. */
function isSecret(value: unknown): boolean {
	return isText(value) && value.length >= 16;
}

function isAbsolutePath(value: unknown): boolean {
	return isText(value) && value.startsWith("/") && !value.includes("\0");
}

function isTextList(value: unknown): value is string[] {
	return Array.isArray(value) && value.every(isText);
}

function isTextRecord(value: unknown): boolean {
	return isJsonObject(value) && Object.values(value).every(isText);
}

function isText(value: unknown): value is string {
	return typeof value === "string";
}
