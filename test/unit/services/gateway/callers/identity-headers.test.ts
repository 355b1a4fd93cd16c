import { expect } from "chai";
import { stripIdentityHeaders } from "#services/gateway/callers/identity-headers.ts";

describe("headers that claim an identity", () => {
	it("are removed, and no others", () => {
		const claims = {
			"x-auth-user-id": "root",
			"x-auth-secret": "s",
			"x-auth-roles": "admin",
			"x-user-id": "root",
			"x-forwarded-user": "root",
			"x-forwarded-email": "root@example.test",
			"x-forwarded-groups": "admin",
			"x-forwarded-preferred-username": "root",
			"x-forwarded-access-token": "t",
			"x-remote-user": "root",
			"remote-user": "root",
			"x-client-cert": "c",
			"x-ssl-client-verify": "SUCCESS",
		};
		const others = {
			host: "a",
			authorization: "Bearer x",
			"x-request-id": "1",
			"x-forwarded-for": "1.2.3.4",
			cookie: "a=b",
		};
		const headers = { ...claims, ...others };
		stripIdentityHeaders(headers);
		expect(headers).to.deep.equal(others);
	});
});
