/**
 * The beginning of programs that get the pod's secrets: a shell sources the environment file and then becomes the
 * program, so that a program that starts later gets the values that the file has then.
 */
import { join } from "node:path";
import { secretsVariable } from "#shared/contracts/credentials/pod-secrets.ts";
import type { Environment } from "./environment.ts";

const entrypoint = join(import.meta.dirname, "../entrypoint.sh");

/** Returns the command with the entrypoint before it when the pod has secrets. */
export function throughEntrypoint(command: readonly string[], env: Environment): string[] {
	return env[secretsVariable] === undefined ? [...command] : ["sh", entrypoint, ...command];
}
