/** Offers names and keys of secrets on the bus; values come in and never go out. */
import type { ServiceSchema } from "moleculer";
import { enterBegun } from "#shared/bus/enter-begun.ts";
import { serviceOf } from "#shared/bus/service.ts";
import { secrets as contract } from "#shared/contracts/settings/secrets.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { memoryPage } from "#shared/store/pages/memory-page.ts";
import { refuseInvalid } from "./secrets/secret-rules.ts";
import type { SecretStore } from "./secrets/secret-store.ts";

export function secretsService(store: SecretStore): ServiceSchema {
	return serviceOf(contract, {
		async list(page, principal, { meta: { if_none_match: known } }) {
			const all = await store.list(principal);
			return memoryPage(all, ({ name }) => ({ value: name, id: name }), { ...page, known });
		},

		async create(secret, principal, ctx) {
			refuseInvalid(secret);
			await enterBegun(ctx.broker, `secrets/${secret.name}`);
			return store.create(principal, secret);
		},

		async get({ name }, principal) {
			const found = await store.get(principal, name);
			if (!found) throw new NotFoundError(`Secret "${name}" does not exist`, "SECRET_NOT_FOUND");
			return found;
		},
	});
}
