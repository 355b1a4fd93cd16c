/** A client of the API server in memory, which knows its authority and has one of its tokens. */
import { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { CallPace } from "#shared/kubernetes/api/call-pace.ts";
import type { ClusterAccess, Credentials } from "#shared/kubernetes/api/cluster-access.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { FakeApi } from "./fake-api.ts";

/** An access whose token a test chooses. */
export class TestAccess implements ClusterAccess {
	readonly server: URL;
	/** The tokens that it has one after the other; each renewal goes on to the next one. */
	tokens: readonly string[] = ["token-of-the-platform"];
	renewals = 0;
	readonly #ca: string;

	constructor({ port, ca }: Pick<FakeApi, "port" | "ca">) {
		this.server = new URL(`https://127.0.0.1:${port}`);
		this.#ca = ca;
	}

	async credentials(): Promise<Credentials> {
		const token = this.tokens[Math.min(this.renewals, this.tokens.length - 1)] ?? "";
		return { headers: { authorization: `Bearer ${token}` }, tls: { ca: this.#ca }, secrets: [token] };
	}

	renew(): void {
		this.renewals++;
	}
}

/** Returns a client with its access and its metrics. @param maxBytes Default: the usual bound. */
export function clientOf(
	api: Pick<FakeApi, "port" | "ca">,
	pace?: CallPace,
	maxBytes?: number,
): { client: ApiClient; access: TestAccess; metrics: Metrics } {
	const access = new TestAccess(api);
	const metrics = new Metrics();
	return {
		client: new ApiClient({ access, metrics, ...(pace && { pace }), ...(maxBytes && { maxBytes }) }),
		access,
		metrics,
	};
}
