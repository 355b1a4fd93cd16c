/** Composes the gateway: the contracts' routes behind the configured identity. */
import { bound } from "#shared/base/bounds.ts";
import type { RequestListener, Server } from "node:http";
import { loadAdapter } from "#shared/config/adapter.ts";
import { type Config, ConfigError } from "#shared/config/config.ts";
import { limitsOf } from "#shared/config/limits.ts";
import { release } from "#shared/config/release.ts";
import { systemPrincipal } from "#shared/base/principal.ts";
import { type Caller, call } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { tokens as tokenContract } from "#shared/contracts/pat/tokens.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import type { AnyAction, Contract } from "#shared/contracts/contract.ts";
import type { Compose, Platform } from "#host/platform.ts";
import { actionRoutes, type ActionRoute } from "./routes/action-route.ts";
import { apiPage } from "./routes/api-page.ts";
import { Accounts } from "./callers/accounts.ts";
import { Admissions } from "./callers/admissions.ts";
import { Authenticator } from "./callers/authenticate.ts";
import { BrowserMarks } from "./callers/browser-marks.ts";
import { Gateway, type GatewayBus } from "./gateway.ts";
import { connectionLimit } from "./http/connection-limit.ts";
import { gatewayService } from "./gateway.service.ts";
import { openHttpServer, portOf } from "#shared/net/http/http-server.ts";
import type { IdentityProvider } from "./callers/identity-provider.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { RequestLimits } from "./callers/request-limits.ts";

import { PersonalTokens } from "./callers/personal-tokens.ts";
import { openApi } from "./routes/openapi.ts";
import { isLoopback } from "#shared/base/hosts/loopback.ts";
import { OriginGuard } from "#shared/net/http/origin-guard.ts";
import { pages } from "./routes/pages.ts";
import { Readiness } from "#host/readiness.ts";
import { RefusedLogins } from "./refused-logins.ts";
import { RefusalNotes } from "./callers/refusal-notes.ts";
import { RequestChain } from "./request-chain.ts";
import { rootPage } from "./routes/root-page.ts";
import { RouteTable } from "./routes/route-table.ts";
import { StandingWatch } from "./callers/standing-watch.ts";
import { UpgradeChain } from "./upgrade-chain.ts";
import { isChatUpgrade } from "./http/websocket-handshake.ts";

/** The timeout of the question for a pod's owner, in milliseconds; no request waits for it. */
const ownerMs = 5_000;

export const compose: Compose = async (platform) => {
	const { host } = platform.config.gateway;
	const gateway = await openGateway(platform);
	return {
		services: [
			gatewayService(gateway, () =>
				platform.announce(readyLine(gateway.entrance(host), demoCommand(platform.config, gateway, host))),
			),
		],
		unready: () => gateway.unready(),
		drain: () => gateway.drain(),
		close: async () => gateway.close(),
	};
};

/**
 * Opens the gateway, which listens when this resolves; requests get 503 until the gateway's service has started.
 * @throws {ConfigError} when the address cannot be used, or not with this identity.
 */
export async function openGateway(platform: Platform, contracts = publicContracts): Promise<Gateway> {
	const { config, key, rawHandlers, upgradeHandlers, readiness: checks } = platform;
	let bus: GatewayBus | undefined;
	const admissions = new Admissions(() => bus?.caller);
	const identity = await loadAdapter<IdentityProvider>(config.identity, ["authenticate"], {
		dataDir: config.data_dir,
		localTokenKey: key.localTokenKey(),
		log: platform.log,
		shortcomings: platform.shortcomings,
		refused: new RefusedLogins(platform.metrics, platform.log).note,
		standing: (person: Parameters<Admissions["standing"]>[0]) => admissions.standing(person),
	});
	refuseForeignAddress(config, identity);
	const { browserLogin: login } = identity;
	const isServed = ({ name, produces }: AnyAction) =>
		isRaw(produces) ? rawHandlers.has(name) : (bus?.isServed(name) ?? false);
	checks.set("services", () => refuseUnserved(contracts, isServed));
	const readiness = new Readiness(checks);
	const server = await openServer(platform, (request, response) => void gateway.handle(request, response));
	const guard = guardOf(config, portOf(server), identity);
	const tokens = personalTokens(config.pat, identity, () => bus?.caller);
	const refusals = new RefusalNotes(() => bus?.caller, config.tenants.default);
	const authenticator = new Authenticator({ identity, key, tokens, admissions });
	const accounts = accountsOf(() => bus?.caller);
	const limits = new RequestLimits(limitsOf(config, platform.trustsCallers), (caller) => accounts.accountOf(caller));
	const watch = new StandingWatch({ claimsLastMs: identity.claimsLastMs });
	const report = (error: unknown, requestId: string) => bus?.logError(`Request ${requestId} failed`, error);
	const chain = new RequestChain({
		guard,
		routes: routeTable(platform, actionRoutes(contracts), readiness),
		authenticator,
		limits,
		watch,
		refusals,
		marks: new BrowserMarks(config.gateway.public_url.startsWith("https://")),
		login,
		rawHandlers,
		bus: () => bus?.caller,
		metrics: new RequestMetrics(platform.metrics),
		tracer: platform.tracer,
		report,
	});
	const upgrades = new UpgradeChain({ guard, authenticator, limits, watch, refusals, upgradeHandlers, report });
	server.on("upgrade", (request, socket, head) => void upgrades.handle(request, socket, head));
	const gateway = new Gateway({
		server,
		chain,
		readiness,
		watch,
		loginToken: login?.token,
		takesTokens: !identity.loopbackOnly,
		forgetTokens: (keys) => tokens.forget(keys),
		attach: (attached) => void (bus = attached),
	});
	platform.metrics.sample("atelier_http_requests_under_way", () => gateway.underWay);
	return gateway;
}

/** Opens the socket, for as many connections as the system allows. @throws {ConfigError} */
function openServer(platform: Platform, listener: RequestListener): Promise<Server> {
	const { gateway, stream } = platform.config;
	const { host, port } = gateway;
	const { connections: maxConnections, shortcoming } = connectionLimit(bound.connections + stream.max_clients);
	if (shortcoming !== undefined) {
		platform.shortcomings.push(shortcoming);
		platform.announce(shortcoming);
	}
	const keys = "gateway.host and gateway.port";
	return openHttpServer({ host, port, maxConnections, keys, shouldUpgrade: isChatUpgrade }, listener);
}

/** @throws {Error} when nobody on the bus, nor this process, offers one of the services that the gateway calls. */
async function refuseUnserved(contracts: readonly Contract[], isServed: (action: AnyAction) => boolean): Promise<void> {
	const asked = contracts.flatMap(({ actions }) => Object.values(actions).slice(0, 1));
	const missing = asked.filter((action) => !isServed(action)).map(({ name }) => `nobody serves "${name}"`);
	if (missing.length > 0) throw new Error(missing.join("; "));
}

/** Whether a raw handler of this process answers, and not a service on the bus. */
function isRaw(produces: AnyAction["produces"]): boolean {
	return produces === "text/event-stream";
}

/** @param bus Returns the bus; undefined until it is connected. */
function accountsOf(bus: () => Caller | undefined): Accounts {
	return new Accounts(async (pod) => {
		const caller = bus();
		if (!caller) throw new UnavailableError("The platform is starting");
		const meta = { principal: vouch(pod) };
		return call(caller, sessions.actions.get, { session_id: pod.id }, { meta, timeout: ownerMs });
	});
}

/** @param bus Returns the bus; undefined until it is connected. */
function personalTokens(
	{ token_issuer_kwargs: { client_id }, revocation_cache_ttl, confirmed_within_days }: Config["pat"],
	{ tokenTrust }: IdentityProvider,
	bus: () => Caller | undefined,
): PersonalTokens {
	return new PersonalTokens({
		trust: tokenTrust,
		clientId: typeof client_id === "string" ? client_id : undefined,
		rememberedMs: revocation_cache_ttl * 1_000,
		confirmedWithinMs: confirmed_within_days * 86_400_000,
		async ask(tokenKey) {
			const caller = bus();
			if (!caller) throw new UnavailableError("The platform is starting");
			const meta = { principal: vouch(systemPrincipal("gateway")) };
			return (await call(caller, tokenContract.actions.check, { key: tokenKey }, { meta })).token;
		},
	});
}

/** Refuses an address beyond loopback for an identity that trusts callers because they are on this machine. */
function refuseForeignAddress(
	{ gateway: { host }, identity: { adapter } }: Config,
	{ loopbackOnly }: IdentityProvider,
) {
	if (loopbackOnly && !isLoopback(host)) {
		throw new ConfigError(
			`Configuration key "gateway.host" cannot be "${host}": with identity "${adapter}" the gateway listens on loopback only (allowed: 127.0.0.1, ::1, localhost); for another address use the identity "services/gateway/identity-providers/token.ts#TokenIdentity" (docs/security.md)`,
		);
	}
}

function guardOf({ gateway }: Config, port: number, { loopbackOnly }: IdentityProvider): OriginGuard {
	return new OriginGuard({
		host: gateway.host,
		port,
		publicUrl: gateway.public_url,
		allowedHosts: gateway.allowed_hosts,
		allowedOrigins: gateway.allowed_origins,
		checksHost: loopbackOnly || isLoopback(gateway.host),
	});
}

function routeTable(
	{ config, shortcomings }: Platform,
	routes: readonly ActionRoute[],
	readiness: Readiness,
): RouteTable {
	const { gateway } = config;
	const products = new Set([gateway.product, ...gateway.aliases]);
	const prefixes = [...products].map((name) => `/api/v1/${name}`);
	const [prefix = ""] = prefixes;
	const document = JSON.stringify(openApi(routes, { title: "Atelier", version: release(), prefix }));
	return new RouteTable(
		[...pages(readiness, document, shortcomings), ...apiPage(), rootPage(prefix), ...routes],
		prefixes,
	);
}

/** Returns the line that tells people where the platform is, and what they can do next. */
function readyLine(entrance: string, demo: string): string {
	return `Atelier listens on ${entrance} (all operations: /docs; a first session, from a second terminal: ${demo})`;
}

const ordinaryUrl = "http://127.0.0.1:8080";

/** Returns the command for a terminal that has none of the variables of this one. */
function demoCommand({ gateway: { public_url } }: Config, gateway: Gateway, host: string): string {
	const url = gateway.url(host);
	const token = gateway.takesTokens ? "ATELIER_TOKEN=… " : "";
	const address = url === ordinaryUrl && public_url === "" ? "" : `ATELIER_URL=${url} `;
	return `${token}${address}npm run demo`;
}
