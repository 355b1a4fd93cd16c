import { ApiClient } from "../../test/support/clients/api-client.ts";
import { eventually } from "../../test/support/eventually.ts";
import { audience, ExchangingProvider } from "../../test/support/identity/exchanging-provider.ts";
import { loadServer, type ServerSample } from "../load.ts";
import { platformWithoutPods } from "../platform.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const seconds = 2;
const connections = 16;
const rounds = 5;

/** Nobody is limited, so that the load is the same. */
const limits = { requests_per_second: 0, in_flight_per_user: 0, in_flight_per_tenant: 0 };

export const p14: Row = {
	id: "P14",
	title: "GET /sessions/{id} with a login token and with a personal access token, against the identity dev",
	async measure(): Promise<Measured> {
		await using provider = await ExchangingProvider.start();
		await using dev = await platformWithoutPods({ config: { limits } });
		await using oidc = await platformWithoutPods({ config: configuration(provider), readyAt: "/health" });
		const login = { authorization: `Bearer ${await provider.login("ada")}` };
		const devUrl = await sessionUrl(dev.platform.client(), dev.platform.prefix);
		const url = await sessionUrl(oidc.platform.client(login), oidc.platform.prefix);
		const pat = { authorization: `Bearer ${await tokenOf(oidc.platform.url, login)}` };
		const order = { seconds, connections };
		const samples = await interleaved(
			{
				dev: () => loadServer(dev.pid, { ...order, url: devUrl }, [200]),
				login: () => loadServer(oidc.pid, { ...order, url, headers: login }, [200]),
				pat: () => loadServer(oidc.pid, { ...order, url, headers: pat }, [200]),
			},
			rounds,
		);
		const cpu = (of: readonly ServerSample[]) => median(of.map((sample) => sample.cpuMicrosPerRequest));
		const figures = { dev_cpu_us: cpu(samples.dev), login_cpu_us: cpu(samples.login), pat_cpu_us: cpu(samples.pat) };
		return {
			verdicts: [
				{ what: "CPU, login token", value: figures.login_cpu_us / figures.dev_cpu_us, compare: "<=", target: 1.15 },
				{
					what: "CPU, personal access token",
					value: figures.pat_cpu_us / figures.dev_cpu_us,
					compare: "<=",
					target: 1.15,
				},
			],
			figures,
		};
	},
};

function configuration(provider: ExchangingProvider): Record<string, unknown> {
	return {
		limits,
		tenants: { default_by_claim: true },
		identity: {
			adapter: "services/gateway/identity-providers/oidc.ts#OidcIdentity",
			kwargs: { issuer: provider.issuer, audience, administrators: ["ada"] },
		},
		pat: {
			token_issuer_adapter: "services/pat/token-issuers/token-exchange.ts#TokenExchange",
			token_issuer_kwargs: provider.exchangeOptions,
		},
	};
}

/** Creates a session, as soon as the platform can; returns its URL. */
function sessionUrl(api: ApiClient, prefix: string): Promise<string> {
	return eventually(async () => {
		const { status, body } = await api.post<{ id: string }>("/sessions", { name: "read" });
		return status === 201 && `${prefix}/sessions/${body.id}`;
	});
}

async function tokenOf(url: string, login: Record<string, string>): Promise<string> {
	const { status, text, body } = await new ApiClient(`${url}/api/v1/users`, login).post<{ token: string }>("/tokens", {
		name: "bench",
	});
	if (status !== 201) throw new Error(`No token was issued: ${status} ${text}`);
	return body.token;
}
