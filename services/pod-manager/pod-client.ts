/** Sends secrets to the session agent of a pod, with the key of its launch. */
import { deadline } from "#shared/base/clock.ts";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import { UpstreamError } from "#shared/base/errors.ts";
import { traceHeaders } from "#shared/telemetry/tracing/span.ts";
import { agentUrl } from "#shared/wire/pod/agent-url.ts";

const timeoutMs = 3_000;

interface ListeningPod {
	/** The base URL of its session agent. */
	readonly address: string;
	/** The key with which the platform authenticates to it. */
	readonly key: string;
	/** The hosts beside loopback at which it may listen. */
	readonly hosts: readonly string[];
}

/** Resolves when the pod has the secrets. @throws {UpstreamError}, whose message has nothing of the body. */
export async function sendSecrets({ address, key, hosts }: ListeningPod, secrets: PodSecrets): Promise<void> {
	const response = await fetch(agentUrl(address, "/api/secrets", hosts), {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, ...traceHeaders() },
		body: JSON.stringify(secrets),
		redirect: "error",
		signal: deadline(timeoutMs),
	}).catch((cause: unknown) => {
		throw new UpstreamError("The session's pod cannot be reached", "POD_UNREACHABLE", { cause });
	});
	await response.body?.cancel();
	if (!response.ok) throw new UpstreamError(`The session's pod answered ${response.status}`, "POD_ANSWER");
}
