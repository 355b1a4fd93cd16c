/** The termination message of a pod in a cluster: the failure that its session agent leaves with the pod, as JSON. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { parseJsonObject } from "#shared/base/schema/parsed-json.ts";
import { type PodFailure, podStatusFields } from "./status.ts";

/** The most bytes of a termination message that a kubelet keeps (Kubernetes, "Customizing the termination message"). */
const maxBytes = 4_096;

const check = compileSchema(podStatusFields.failure.props);

/** A message that is too long is shortened. */
export function terminationMessage({ code, message }: PodFailure): string {
	let shown = message;
	while (Buffer.byteLength(JSON.stringify({ code, message: shown })) > maxBytes)
		shown = shown.slice(0, Math.floor(shown.length / 2));
	return JSON.stringify({ code, message: shown });
}

/** Returns the failure; undefined when the pod has left none, or the text is of another program. */
export function failureIn(termination: string): PodFailure | undefined {
	const found = parseJsonObject(termination);
	return found && isFailure(found) ? { code: found.code, message: found.message } : undefined;
}

function isFailure(value: object): value is PodFailure {
	return check(value).length === 0;
}
