/** Reads the blueprints that a session names from the services that own them. */
import { type Owner, systemPrincipal } from "#shared/base/principal.ts";
import { call, type RequestContext } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { type Preset, presets } from "#shared/contracts/blueprints/presets.ts";
import { type Profile, profiles } from "#shared/contracts/blueprints/profiles.ts";
import type { SessionCreate } from "#shared/contracts/sessions/session-resource.ts";
import { type Template, templates } from "#shared/contracts/templates.ts";
import { NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import { didYouMean } from "#shared/base/nearest-name.ts";
import type { Blueprints } from "./merged-request.ts";

const job = vouch(systemPrincipal("sessions"));

/** The type of sessions that name no other one. */
const defaultWorkload = "session";

/**
 * Returns the blueprints of a request; without a `profile_name` the owner's default profile of the workload type.
 * @throws {UnprocessableError} for one that does not exist, because a default in its place would surprise the caller.
 */
export async function namedBlueprints(request: SessionCreate, owner: Owner, ctx: RequestContext): Promise<Blueprints> {
	const { template_name, preset_id, profile_name } = request;
	const [template, preset, profile] = await Promise.all([
		template_name ? findTemplate(template_name, ctx) : undefined,
		preset_id ? findPreset(preset_id, owner, ctx) : undefined,
		profile_name ? namedProfile(profile_name, owner, ctx) : undefined,
	]);
	if (profile) return { template, preset, profile };
	const workload = request.workload_type || preset?.workload_type || template?.workload_type || defaultWorkload;
	const { profile: defaultProfile } = await findProfile({ workload_type: workload }, owner, ctx);
	return { template, preset, defaultProfile };
}

/** Returns a profile. @throws {UnprocessableError} when it does not exist. */
export async function namedProfile(name: string, owner: Owner, ctx: RequestContext): Promise<Profile> {
	const { profile, names = [] } = await findProfile({ name, workload_type: "" }, owner, ctx);
	if (profile) return profile;
	const known =
		names.length === 0 ? "; you have none, and POST /profiles makes one" : `; there are: ${names.join(", ")}`;
	throw new UnprocessableError(
		`Profile "${name}" does not exist${didYouMean(names, name) || known}`,
		"PROFILE_UNKNOWN",
	);
}

async function findProfile(
	which: { name?: string; workload_type: string },
	{ tenant, id: owner }: Owner,
	ctx: RequestContext,
): Promise<{ profile?: Profile | undefined; names?: string[] | undefined }> {
	const asked = { tenant, owner, ...which };
	return call(ctx.broker, profiles.actions.of_launch, asked, metaOf(ctx));
}

async function findPreset(preset_id: string, { tenant, id: owner }: Owner, ctx: RequestContext): Promise<Preset> {
	const asked = { tenant, owner, preset_id };
	const { preset } = await call(ctx.broker, presets.actions.of_launch, asked, metaOf(ctx));
	if (preset) return preset;
	const sentence = `Preset "${preset_id}" does not exist; preset_id is the id of a preset of yours, and GET /presets lists them`;
	throw new UnprocessableError(sentence, "PRESET_UNKNOWN");
}

async function findTemplate(name: string, ctx: RequestContext): Promise<Template> {
	return call(ctx.broker, templates.actions.whole, { name }, metaOf(ctx)).catch((error: unknown) => {
		if (error instanceof NotFoundError) throw new UnprocessableError(error.message, "TEMPLATE_UNKNOWN");
		throw error;
	});
}

/** The calls do not use the context, because the metadata of their answers would replace the context's principal. */
function metaOf({ meta: { request_id, deadline } }: RequestContext) {
	return { meta: { principal: job, ...(request_id && { request_id }), ...(deadline && { deadline }) } };
}
