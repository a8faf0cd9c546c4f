"""The composition root: settings, then a store, then services, then routes."""

from sobremesa.app.application import REGISTRY, Sobremesa, layout_of

__all__ = ["REGISTRY", "Sobremesa", "layout_of"]
