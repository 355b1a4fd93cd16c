/** The suite that every identity provider must pass. */
import { expect } from "chai";
import type { IncomingHttpHeaders } from "node:http";
import type { Principal } from "#shared/base/principal.ts";
import { type LoopbackConnection, openLoopback } from "../support/clients/loopback-connection.ts";
import type { ClaimedPerson, IdentityProvider } from "#services/gateway/callers/identity-provider.ts";

export interface KnownCaller {
	/** The value of the `Authorization` header. */
	readonly authorization: string;
	/** The principal, or the person who has to be admitted. */
	readonly found: Principal | ClaimedPerson;
}

export interface IdentityProviderCase {
	readonly identity: IdentityProvider;
	readonly known: readonly KnownCaller[];
	/** The principal of a caller without credentials; undefined when there is none. */
	readonly nobody: Principal | undefined;
}

export function describeIdentityProvider(name: string, open: () => Promise<IdentityProviderCase>): void {
	describe(`IdentityProvider: ${name}`, () => {
		let given: IdentityProviderCase;
		let connection: LoopbackConnection;

		before(async () => {
			given = await open();
			connection = await openLoopback();
		});
		after(() => connection.close());

		function authenticate(headers: IncomingHttpHeaders): ReturnType<IdentityProvider["authenticate"]> {
			return given.identity.authenticate(headers, connection.accepted);
		}

		it("identifies people by their token", async () => {
			for (const { authorization, found } of given.known) {
				expect(await authenticate({ authorization })).to.deep.equal(found);
				const scheme = authorization.replace(/^Bearer/, "bearer");
				expect(await authenticate({ authorization: scheme })).to.deep.equal(found);
			}
		});

		it("tells who a caller without credentials is", async () => {
			expect(await authenticate({})).to.deep.equal(given.nobody);
		});

		it("rejects other credentials, and does not treat them as no credentials", async () => {
			const tokens = given.known.map(({ authorization }) => authorization.replace("Bearer ", ""));
			const nearly = tokens.flatMap((token) => [
				token.slice(0, -1),
				`${token}x`,
				token.toUpperCase(),
				`${token} ${token}`,
			]);
			for (const wrong of [...nearly.map((token) => `Bearer ${token}`), ...tokens, ...hostile]) {
				expect(await authenticate({ authorization: wrong }), wrong.slice(0, 50)).to.equal(undefined);
			}
		});

		it("looks at no other header", async () => {
			const [caller] = given.known;
			const token = caller?.authorization.replace("Bearer ", "") ?? "";
			const headers = {
				"proxy-authorization": `Bearer ${token}`,
				"x-auth-token": token,
				"x-user-id": caller?.found.kind === "claimed" ? caller.found.person.id : caller?.found.id,
				"x-auth-user-id": "root",
				cookie: `token=${token}`,
			};
			expect(await authenticate(headers)).to.deep.equal(given.nobody);
		});
	});
}

const hostile = [
	"",
	" ",
	"Bearer",
	"Bearer ",
	"Basic Og==",
	"Bearer __proto__",
	"Bearer constructor",
	`Bearer ${"x".repeat(16_000)}`,
];
