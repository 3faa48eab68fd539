"""Rules: the images that runs are made from, and whether a registry serves others."""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.doctor.facts import EngineFacts, Images
from quickstarted.doctor.findings import Finding, error, not_applicable, ok, warning

BUILD = "quickstarted images build"


def judge_images(engine: EngineFacts) -> Iterator[Finding]:
    """Sandbox, proxy, stand-ins, registry."""
    images = engine.images
    if images is None:
        yield not_applicable("images", "images", "images", "The engine was not asked.")
        return
    yield _sandbox(images)
    yield _sidecar(images)
    yield _stand_ins(images)
    yield _registry(images)


def _sandbox(images: Images) -> Finding:
    if images.usable == images.wanted:
        return ok("images", "image-sandbox", f"{images.wanted} is here")
    if images.usable:
        return ok(
            "images", "image-sandbox", f"{images.wanted} is not here; {images.usable} stands in"
        )
    is_default = images.wanted == images.default_image
    fix = BUILD if is_default else f"quickstarted images pull {images.wanted}"
    if images.registry_says == "":
        return warning(
            "images",
            "image-sandbox",
            f"{images.wanted} is not here; the first run would pull it",
            fix=fix,
        )
    return error(
        "images",
        "image-sandbox",
        f"{images.wanted} is not here, and no registry answers",
        detail=images.registry_says or "",
        fix=fix,
    )


def _sidecar(images: Images) -> Finding:
    if images.sidecar:
        return ok("images", "image-sidecar", "the proxy's image is here")
    return warning(
        "images",
        "image-sidecar",
        "the proxy's image is not built from these sources; the first run would build it",
        fix=BUILD,
    )


def _stand_ins(images: Images) -> Finding:
    if images.stand_ins:
        return ok("images", "image-stand-ins", f"stand-ins: {', '.join(images.stand_ins)}")
    return not_applicable(
        "images", "image-stand-ins", "stand-ins", "None is built; a registry makes them needless."
    )


def _registry(images: Images) -> Finding:
    says = images.registry_says
    if says is None:
        return not_applicable("images", "registry", "a registry", "The engine was not asked.")
    if not says:
        return ok("images", "registry", f"a registry answers for {images.default_image}")
    if images.stand_ins:
        return warning(
            "images",
            "registry",
            "no registry answers: tasks can use only images that are here",
            detail=says,
            fix=f"quickstarted images pull {images.default_image}",
        )
    return warning("images", "registry", "no registry answers", detail=says, fix=BUILD)
